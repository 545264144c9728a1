// A real OpenID Connect provider on 127.0.0.1, for the test of signing in through one. It prints its address when it
// listens. Its sign-in page takes any name: the account of `ana` has the email ana@example.com, which it has verified,
// unless the name starts with `unverified`.
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

const require = createRequire(pathToFileURL(`${process.env.PROVIDER_MODULES}/`));
const { default: Provider } = await import(pathToFileURL(require.resolve('oidc-provider')).href);

const port = Number(process.env.PROVIDER_PORT);
const issuer = `http://127.0.0.1:${port}`;
const provider = new Provider(issuer, {
  clients: [
    {
      client_id: 'memory',
      client_secret: 'a secret of the two',
      redirect_uris: [process.env.PROVIDER_REDIRECT],
      response_types: ['code'],
      grant_types: ['authorization_code'],
    },
  ],
  claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
  conformIdTokenClaims: process.env.PROVIDER_USERINFO === '1',
  cookies: { keys: ['a key for the test'] },
  findAccount: (ctx, id) => ({
    accountId: id,
    claims: () => ({ sub: id, email: `${id}@example.com`, email_verified: !id.startsWith('unverified'), name: id }),
  }),
  pkce: { required: () => true },
});
createServer(provider.callback()).listen(port, '127.0.0.1', () => console.log(issuer));
