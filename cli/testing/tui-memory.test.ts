import { readFileSync } from 'node:fs'
import { afterEach, expect, test } from 'vitest'
import { timeFor, trailEvents, trailRounds } from '../../server/testing/rounds.ts'
import { countText } from '../output/words.ts'
import { mostRows } from '../tui/state/paged-list.ts'
import { windowSizes } from '../tui/testing/window-sizes.ts'
import { adminOf } from './admin.ts'
import { fillMany } from './many-rows.ts'
import { type Pty, startPty } from './pty.ts'
import { bin } from './real-service.ts'
import { useOwnService } from './use-service.ts'

const own = useOwnService()
let pty: Pty
afterEach(() => pty?.close())

/** The most memory that the program ever had, in MB: what the system wrote down. */
function peakOf(pid: number): number {
  const [, kilobytes] = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return Number(kilobytes) / 1024
}

/** MB. Newer versions of Node let the heap grow further before they collect. */
const mostMemory = Number.parseInt(process.versions.node, 10) < 24 ? 300 : 400

test(
  'a trail that is read to the last row that a list holds, and paged through at every size, stays under a limit',
  timeFor(trailRounds, 600),
  async () => {
    const ada = await adminOf(own)
    await fillMany(own.service.deps.sql, 1, trailEvents)
    const script = '"$0" "$@"; true'
    const argv = ['-c', script, process.execPath, bin, 'tui', '--screen', 'admin']
    pty = startPty('/bin/sh', argv, { columns: 160, rows: 50, env: ada.env })
    await pty.shows('2 users')
    const [pid = 0] = pty.children()
    pty.type('t')
    await pty.shows('the newest 100 events')
    const most = Math.min(trailEvents, mostRows - 100)
    for (let loaded = 200; loaded <= most; loaded += 100) {
      pty.type('G')
      await pty.shows(`the newest ${countText(loaded)} events`)
    }
    pty.type('G')
    await pty.hides('more at the end')
    for (let round = 0; round < trailRounds; round += 1)
      for (const [columns, rows] of windowSizes) {
        pty.resize(columns, rows)
        for (const key of ['\u001b[5~', '\u001b[6~', 'k', 'j', 'gG']) {
          pty.type(`${key.repeat(50)}R?`)
          // The help opens after all keys before it.
          await pty.shows('Keys of this screen')
          pty.type('\u001b')
          await pty.hides('Keys of this screen')
        }
      }
    pty.type('/revoked\r')
    await pty.shows('/ revoked')
    pty.type('\u001b/event:user-banned\r')
    await pty.shows('event:user-banned')
    expect(peakOf(pid)).toBeGreaterThan(50)
    expect(peakOf(pid)).toBeLessThan(mostMemory)
  },
)
