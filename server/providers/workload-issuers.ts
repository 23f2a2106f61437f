/**
 * Anybody can have a token of these issuers, by a repository or a pipeline of their own. So a rule has to name one of these
 * claims, which only the issuer sets and which no stranger's token makes. The subject is none of them: what it is made of can
 * be chosen.
 */
const pinning: Readonly<Record<string, readonly string[]>> = {
  'https://token.actions.githubusercontent.com': [
    'repository_id',
    'repository',
    'repository_owner_id',
    'repository_owner',
    'enterprise_id',
    'enterprise',
  ],
  'https://gitlab.com': ['project_id', 'project_path', 'namespace_id', 'namespace_path'],
  'https://agent.buildkite.com': ['pipeline_id', 'organization_id', 'organization_slug'],
}

/** What every token has (RFC 7519, 4.1): these tell no machine from another. */
const common: ReadonlySet<string> = new Set(['iss', 'aud', 'exp', 'nbf', 'iat', 'jti'])

/** The claim by which a rule is found, the narrowest that it has; null when it would let in strangers. */
export function pinOf(issuer: string, claims: Readonly<Record<string, string>>): string | null {
  const others = Object.keys(claims).filter((claim) => !common.has(claim))
  const names = pinning[issuer] ?? [...Object.values(pinning).flat(), ...others.toSorted()]
  const name = names.find((one) => Object.hasOwn(claims, one))
  return name === undefined ? null : pinText(name, claims[name] ?? '')
}

export const pinText = (name: string, value: string): string => `${name}=${value}`
