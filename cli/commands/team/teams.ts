import { exitCodes } from '../../../shared/exit-codes.ts'
import type { Team } from '../../../shared/organization.ts'
import type { Connection } from '../../connect.ts'
import type { Column } from '../../output/cell.ts'
import { refusalFrom } from '../../output/failure.ts'
import { hintOf } from '../../output/hints.ts'
import type { FieldType } from '../../output/json.ts'
import { Refusal } from '../../refusal.ts'
import { type Naming, pickOne } from '../candidates.ts'

export const teamFields = {
  id: 'text',
  name: 'text',
  organizationId: 'text',
  createdAt: 'date',
  updatedAt: 'date?',
} satisfies Record<keyof Team, FieldType>

export const teamColumns: readonly Column<Team>[] = [
  { header: 'ID', value: ({ id }) => id, isWhole: true },
  { header: 'Name', value: ({ name }) => name },
  { header: 'Created', value: ({ createdAt }) => createdAt },
]

const naming: Naming<Team> = {
  kind: 'team',
  ways: [({ id }, word) => id === word, ({ name }, word) => name === word],
  describe: ({ id, name }) => `${id}  ${name}`,
  list: 'See them: postern team list',
}

export const teamArgument = 'id or unique name'

/** The teams of the organization, or of the active one. */
export const listTeams = ({ api }: Connection, organizationId: string | undefined): Promise<readonly Team[]> =>
  withTeams(() => api.team.listTeams({ organizationId }))

export const findTeam = async (
  connection: Connection,
  organizationId: string | undefined,
  word: string,
): Promise<Team> => pickOne(await listTeams(connection, organizationId), word, naming)

/** Refusals without a word, in words: a service without teams, and an organization of others. */
export const withTeams = <T>(ask: () => Promise<T>): Promise<T> =>
  ask().catch((cause: unknown) => {
    const { code, status } = refusalFrom(cause)
    if (code === 'NOT_FOUND')
      throw new Refusal(exitCodes.forbidden, 'This service has no teams', {
        code: 'TEAMS_ARE_NOT_ENABLED',
        status,
        hint: 'Ask its owner',
        cause,
      })
    if (code !== 'FORBIDDEN') throw cause
    const foreign = 'YOU_ARE_NOT_A_MEMBER_OF_THIS_ORGANIZATION'
    throw new Refusal(exitCodes.notFound, 'You are not a member of this organization', {
      code: foreign,
      status,
      hint: hintOf(exitCodes.notFound, foreign),
      cause,
    })
  })
