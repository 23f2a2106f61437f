import { expect, it } from 'vitest'
import type { CallGroup } from '../../../shared/contract/call.ts'
import { contract } from '../../../shared/contract/index.ts'
import { allAnswers } from '../../testing/all-answers.ts'
import { tablesWrittenTwice } from '../../testing/distributed-engines.ts'
import { startOpenIdProvider } from '../../testing/openid-provider.ts'
import { keysOf } from '../../testing/rows.ts'
import { useStarted, useTestService } from '../../testing/use-service.ts'
import type { Reply } from '../../testing/visitor.ts'

const provider = useStarted(startOpenIdProvider)
const service = useTestService(() => provider.settings('GOOGLE'))

/** One answer of each call, with everything in it that it can have. */
const answers: Record<string, () => Promise<Reply>> = {
  ...allAnswers(
    () => service,
    () => provider,
  ),
  ok: () => service.visitor().get('/ok'),
  ready: () => service.visitor().get('/ready'),
}

const names = Object.values(contract as Record<string, CallGroup>).flatMap((group) =>
  Object.entries(group).flatMap(([name, call]) =>
    call.answer === 'html' || call.output.type === 'never' ? [] : [name],
  ),
)

/** Answers that contain a new secret, this once. */
const shown = ['createWebhook', 'rotateWebhook']

it.each(names)('%s answers these keys and no others', async (name) => {
  const { status, body } = await answers[name]!()
  expect([status, keysOf(body)]).toMatchSnapshot()
  const keys = JSON.stringify(keysOf(body))
  expect(shown.includes(name) ? keys.replace('"secret"', '') : keys).not.toMatch(/password|hash|secret|value/i)
})

/**
 * What CockroachDB refuses unless `sql.multiple_modifications_of_table.enabled` is on, and why it stays. The writes are never to
 * the same row, which is what the engine fears. A statement more would be a round trip more for everybody else.
 */
const writtenTwice: Readonly<Record<string, string>> = {
  accounts: "The way in that is linked is new; the one that proved the address is the session's own.",
  audit_events: 'Two events of one act differ by their names.',
  device_requests: 'A request is either put off or over.',
  invitations: 'The new one is pending; those that are forgotten are not.',
  machine_key_secrets: 'A secret either ends later or is gone.',
  sessions: 'The session that begins is new; it replaces another, or the oldest ones over the limit.',
  verifications: 'What is noted has an identifier of its own, other than what is used up.',
}

it('no call writes to a table twice in a statement, except where that is written down', () => {
  const tables = new Set(service.statements.list.flatMap(tablesWrittenTwice))
  expect([...tables].toSorted()).toEqual(Object.keys(writtenTwice))
})
