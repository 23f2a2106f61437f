import { expect } from 'vitest'
import { checkTrail, detailed } from './check-trail.ts'
import type { EventName } from './events-of-calls.ts'
import type { TestService } from './service.ts'
import type { Reply } from './visitor.ts'

interface Line extends Record<string, unknown> {
  readonly event: EventName
}

const names = ['level', 'msg', 'event', 'requestId', 'network', 'userId', 'memberUserId', 'organizationId']
const allowed = new Set([...names, ...detailed, 'route', 'provider', 'target', 'targetUserId'])

/** Reads what services tell of the events of each request, and holds it against the trail. */
export function createSecurityLog() {
  /** All services write logs of their own. */
  const all: TestService[] = []
  const seen = new Set<string>()
  const known = (made: TestService): TestService => {
    all.push(made)
    return made
  }

  /** The service, whose siblings are read as well. */
  const watch = (made: TestService): TestService =>
    known({ ...made, sibling: (settings) => made.sibling(settings).then(known) })

  /** What the logs say of the events of one request besides the time. */
  const eventsOf = (requestId: unknown): Line[] =>
    all
      .flatMap(({ logged }) => logged)
      .filter((line) => line.msg === 'security event' && line.requestId === requestId)
      .map(({ time: _time, ...line }) => line as Line)

  /** The events of a request, by the id that its answer carries: that is how they are found in earnest. */
  const told = async (ask: () => Promise<Reply>) => {
    const reply = await ask()
    const requestId = reply.headers.get('x-request-id')
    const lines = eventsOf(requestId)
    await checkTrail(all[0]!, requestId, lines)
    return { reply, lines, events: lines.map(({ event }) => event) }
  }

  /** Nobody's address, name or secret can be in a line that has only these. */
  const check = (lines: readonly Line[]): void => {
    for (const line of lines) {
      seen.add(line.event)
      expect(Object.keys(line).filter((key) => !allowed.has(key))).toEqual([])
      expect(line).toMatchObject({ level: 30, network: expect.stringMatching(/^10\.|^unknown$/) })
      expect(JSON.stringify(line)).not.toMatch(/@|example|battery|Ann|Acme/)
    }
  }

  return { watch, eventsOf, told, check, seen }
}
