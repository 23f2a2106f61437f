import type { Deps } from '../../deps.ts'

/** Ways in as people read them, by the ids of their providers; `credential` is a password. */
export const wayNamesOf = ({ providers }: Pick<Deps, 'providers'>, ids: readonly string[]): string[] =>
  ids.map((id) => (id === 'credential' ? 'the password' : (providers.find(id)?.provider.name ?? id)))
