import { expect, it } from 'vitest'
import type { Call, CallGroup } from '../../shared/contract/call.ts'
import { contract } from '../../shared/contract/index.ts'
import { allowedWhileImpersonating } from '../../shared/contract/while-impersonating.ts'
import { allFlows } from './all.ts'
import { type FlowFacts, isBlockedWhileImpersonating } from './flow.ts'

const calls: readonly Call[] = Object.values(contract as Record<string, CallGroup>).flatMap((group) =>
  Object.values(group),
)
const isRefused = (path: string | undefined) =>
  calls.some((call) => call.path === path && call.access !== 'anyone') && !allowedWhileImpersonating.has(path ?? '')

/** A link of a mail is opened, and its mail is asked for, as nobody or as oneself. */
const asNobody = ['account email verify', 'account email verify --send']

it('whatever changes something as the user and is refused while impersonating is not offered then', () => {
  const flows = allFlows.filter((flow): flow is FlowFacts & (typeof allFlows)[number] => 'title' in flow)
  const writes = flows.filter(({ isLocal, command }) => !isLocal && !asNobody.includes(command))
  expect(writes.length).toBeGreaterThan(40)
  const differing = writes.filter((flow) => isBlockedWhileImpersonating(flow) !== isRefused(flow.call))
  expect(differing.map(({ command }) => command)).toEqual([])
})
