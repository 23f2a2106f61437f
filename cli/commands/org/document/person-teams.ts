/** The names of a person's teams as a document has them: the only one, or several in order. Null without a team. */
export type PersonTeams = string | readonly string[] | null

export const teamList = (teams: PersonTeams | undefined): readonly string[] =>
  teams === null || teams === undefined ? [] : [teams].flat()

export function personTeams(names: readonly string[]): PersonTeams {
  const [first = null, ...others] = [...new Set(names)].toSorted()
  return first === null || others.length === 0 ? first : [first, ...others]
}
