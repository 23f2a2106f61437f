import { expect, it } from 'vitest'
import { runBuilt } from '../../testing/built.ts'
import { useOwnService, usePerson } from '../../testing/use-service.ts'

const own = useOwnService()
const ann = usePerson(own, 'Ann')

const document = (slug: string) => `organization: { name: ${slug}, slug: ${slug} }
teams: [{ name: Design }, { name: Ops }, { name: Infra }]
members: [{ email: ann@example.com, roles: [owner] }]
invitations: [{ email: bo@example.com, roles: [member] }]
`

/** Ends the command while the answer about the second team is under way. */
async function interrupted(slug: string, signal: NodeJS.Signals, flags: readonly string[] = []) {
  const held = own.hold('POST /organization/create-team')
  const ended = await runBuilt(['org', 'apply', '-f', '-', ...flags], {
    env: ann.env,
    input: document(slug),
    during: async (child) => {
      await held.answered
      child.kill(signal)
    },
  })
  held.release()
  return ended
}

it.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const)('ended by %s, it says what was done and what was not', async (signal, exitCode) => {
  const { code, stdout, stderr } = await interrupted(`acme-${exitCode}`, signal, ['--json'])
  const { results, summary } = JSON.parse(stdout) as {
    results: { kind: string; status: string; error: { code: string } | null }[]
    summary: object
  }
  expect(code).toBe(exitCode)
  expect(results.map(({ kind, status }) => [kind, status])).toEqual([
    ['organization', 'created'],
    ['team', 'created'],
    ['team', 'failed'],
    ['team', 'skipped'],
    ['member', 'skipped'],
    ['invitation', 'skipped'],
  ])
  expect(results[2]?.error?.code).toBe('INTERRUPTED')
  expect(summary).toMatchObject({ succeeded: 2, failed: 1, skipped: 3, changed: 2 })
  expect(JSON.parse(stderr)).toMatchObject({ error: { exitCode } })
})

it('each step is told when it is known', async () => {
  const held = own.hold('POST /organization/create-team')
  const told: string[] = []
  const done = ann('org apply -f - --ndjson', { stdin: document('initech'), tell: (text) => told.push(text) })
  await held.answered
  expect(told.map((line) => JSON.parse(line))).toMatchObject([
    { kind: 'organization', status: 'created' },
    { kind: 'team', input: 'Design', status: 'created' },
  ])
  held.release()
  expect([(await done).code, told.length]).toEqual([0, 6])
})

it('what is left is done by the next run', async () => {
  const { code, stdout, stderr } = await interrupted('globex', 'SIGINT')
  expect([code, stdout]).toEqual([130, expect.stringContaining('Ops\tcreate\tskipped')])
  expect(stderr).toContain('Apply the document again to do what is left')
  const again = await ann('org apply -f - --json', { stdin: document('globex') })
  const { results } = again.json as { results: { input: string; status: string }[] }
  expect([again.code, results.find(({ input }) => input === 'Ops')?.status]).toEqual([0, 'created'])
})
