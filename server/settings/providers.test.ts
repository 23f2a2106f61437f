import { describe, expect, it } from 'vitest'
import { providerDisplayName } from '../../shared/providers.ts'
import { ConfigError, forgetSecrets, parseConfig } from '../config.ts'
import type { Provider } from '../providers/provider.ts'
import { isProviderKey, isProviderSecret, readProviders } from './providers.ts'

const on = { GITHUB_CLIENT_ID: 'id', GITHUB_CLIENT_SECRET: 'secret-of-github' }

describe('the settings of providers', () => {
  it('turn none on by themselves', () => {
    expect(readProviders({})).toEqual({ providers: [], problems: [] })
  })

  it('turn on what has an id and a secret, with every override', () => {
    const { providers, problems } = readProviders({
      ...on,
      GITHUB_ISSUER: 'https://git.example.com/login/oauth',
      GITHUB_TOKEN_URL: 'http://127.0.0.1:1/token',
      GITHUB_SCOPES: 'read:user, user:email repo',
      GITHUB_DISABLE_SIGN_UP: 'on',
    })
    expect([problems, providers.length]).toEqual([[], 1])
    expect(providers[0]!.registration).toEqual({
      clientId: 'id',
      clientSecret: 'secret-of-github',
      overrides: { issuer: 'https://git.example.com/login/oauth', token: 'http://127.0.0.1:1/token' },
      scopes: ['read:user', 'user:email', 'repo'],
      disableSignUp: true,
      disableImplicitSignUp: false,
      overrideUserInfo: false,
      options: {},
    })
  })

  it.each([
    ['on', true],
    ['off', false],
  ])('let a provider replace what we have of its users only where they say so: %s', (GITHUB_OVERRIDE_USER_INFO, is) => {
    const { providers, problems } = readProviders({ ...on, GITHUB_OVERRIDE_USER_INFO })
    expect([problems, providers[0]!.registration.overrideUserInfo]).toEqual([[], is])
  })

  it('know any OpenID provider by a name', () => {
    const { providers, problems } = readProviders({
      OIDC_ACME_CORP_ISSUER: 'https://id.acme.example',
      OIDC_ACME_CORP_CLIENT_ID: 'id',
      OIDC_ACME_CORP_CLIENT_SECRET: 'secret',
    })
    expect(problems).toEqual([])
    expect(providers.map(({ provider: { id } }) => [id, providerDisplayName(id)])).toEqual([['acme-corp', 'Acme Corp']])
  })

  it.each<[string, Record<string, string>, string]>([
    [
      'an id alone of a provider without a name of its own',
      { DISCORD_CLIENT_ID: 'id' },
      'DISCORD_CLIENT_SECRET is missing: DISCORD_CLIENT_ID is set, but sign-in with Discord needs this too',
    ],
    [
      'an address with a password, without showing it',
      {
        OIDC_ACME_CLIENT_ID: 'a',
        OIDC_ACME_CLIENT_SECRET: 'b',
        OIDC_ACME_ISSUER: 'https://ann:hunter2@id.example',
      },
      'OIDC_ACME_ISSUER is (hidden): expected an https address without user and password',
    ],
    [
      'an address with a user',
      { ...on, GITHUB_TOKEN_URL: 'https://ann@git.example/t' },
      'GITHUB_TOKEN_URL is "https://ann@git.example/t": expected an https address without user and password',
    ],
    ['an id without a secret', { GITHUB_CLIENT_ID: 'id' }, 'GITHUB_CLIENT_SECRET is missing'],
    ['a secret without an id', { GITHUB_CLIENT_SECRET: 'x' }, 'GITHUB_CLIENT_ID is missing'],
    ['an override alone', { GITHUB_TOKEN_URL: 'https://x.example' }, 'GITHUB_CLIENT_ID is missing'],
    [
      'plain http to another machine',
      { ...on, GITHUB_TOKEN_URL: 'http://x.example/t' },
      'GITHUB_TOKEN_URL is "http://x.example/t": expected an https address',
    ],
    ['what is not loopback', { ...on, GITHUB_TOKEN_URL: 'http://127.0.0.1.nip.io/t' }, 'expected an https address'],
    ['an address of all machines', { ...on, GITHUB_TOKEN_URL: 'http://0.0.0.0/t' }, 'expected an https address'],
    ['no address', { ...on, GITHUB_USERINFO_URL: 'api.example' }, 'expected an absolute https address'],
    [
      'another scheme',
      { ...on, GITHUB_AUTHORIZATION_URL: 'javascript:alert(1)' },
      'expected an absolute https address',
    ],
    ['neither on nor off', { ...on, GITHUB_OVERRIDE_USER_INFO: 'always' }, 'GITHUB_OVERRIDE_USER_INFO is "always"'],
    ['no switch', { ...on, GITHUB_DISABLE_SIGN_UP: 'yes' }, 'expected on, off, true or false'],
    [
      'a wrong option',
      { GOOGLE_CLIENT_ID: 'a', GOOGLE_CLIENT_SECRET: 'b', GOOGLE_PROMPT: 'please' },
      'GOOGLE_PROMPT is "please": expected none, consent or select_account',
    ],
    [
      'an OpenID provider without an issuer',
      { OIDC_ACME_CLIENT_ID: 'a', OIDC_ACME_CLIENT_SECRET: 'b' },
      'OIDC_ACME_ISSUER is missing',
    ],
    [
      'a name that we have',
      { OIDC_GITHUB_CLIENT_ID: 'a', OIDC_GITHUB_CLIENT_SECRET: 'b', OIDC_GITHUB_ISSUER: 'https://x.example' },
      'expected another name',
    ],
    [
      'a name that means a password',
      {
        OIDC_CREDENTIAL_CLIENT_ID: 'a',
        OIDC_CREDENTIAL_CLIENT_SECRET: 'b',
        OIDC_CREDENTIAL_ISSUER: 'https://x.example',
      },
      'expected another name',
    ],
  ])('refuse %s', (_name, given, sentence) => {
    expect(readProviders(given).problems.join('\n')).toContain(sentence)
    expect(() => parseConfig(given)).toThrow(ConfigError)
  })

  it('never show a secret, and take it out of the environment', () => {
    const given = { ...on, GITHUB_CLIENT_SECRET: 'a secret with blanks' }
    expect(readProviders(given).problems.join()).toContain('GITHUB_CLIENT_SECRET is (hidden)')
    const environment: NodeJS.ProcessEnv = { ...on, OIDC_ACME_CLIENT_SECRET: 'x', PATH: '/bin' }
    forgetSecrets(environment)
    expect(environment).toEqual({ GITHUB_CLIENT_ID: 'id', PATH: '/bin' })
  })

  it('have a name each, made from the list of records', () => {
    expect(['GITHUB_CLIENT_ID', 'GOOGLE_HOSTED_DOMAIN', 'OIDC_ACME_CORP_TOKEN_URL'].map(isProviderKey)).toEqual([
      true,
      true,
      true,
    ])
    expect(['GITHUB_HOSTED_DOMAIN', 'ACME_CLIENT_ID', 'OIDC_CLIENT_ID', 'OIDC_ACME_TOKEN'].map(isProviderKey)).toEqual([
      false,
      false,
      false,
      false,
    ])
    expect(['GOOGLE_CLIENT_SECRET', 'GOOGLE_CLIENT_ID'].map(isProviderSecret)).toEqual([true, false])
  })

  it('take a record that nobody has heard of', () => {
    const acme: Provider = {
      id: 'acme',
      endpoints: { issuer: 'https://a.example', authorization: 'https://a.example/a', token: 'https://a.example/t' },
      scopes: [],
      authentication: () => undefined,
      needsSecret: false,
      options: { TEAM: { expected: 'digits', pattern: /^\d+$/ } },
    }
    expect(readProviders({ ACME_CLIENT_ID: 'x', ACME_TEAM: 'seven' }, [acme]).problems).toEqual([
      expect.stringContaining('ACME_TEAM'),
    ])
    expect(readProviders({ ACME_CLIENT_ID: 'x', ACME_TEAM: '7' }, [acme]).providers[0]?.registration.options).toEqual({
      TEAM: '7',
    })
  })
})
