import { EventEmitter } from 'node:events'
import { render } from 'ink'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { Line } from '../components/primitives.tsx'
import { useDelayedFlag } from './use-time.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }))
afterEach(() => void vi.useRealTimers())

const Told = ({ isSo }: { readonly isSo: boolean }) => (
  <Line spans={[{ text: useDelayedFlag(isSo) ? 'late' : 'calm' }]} />
)

/** React flushes effects and their changes in turns of the event loop, which are not faked. */
const painted = async () => {
  for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve))
}

test('what takes no longer than 200 ms is not told, what takes longer is, until it is over', async () => {
  let frame = ''
  const stdout = Object.assign(new EventEmitter(), { columns: 20, write: (text: string) => void (frame = text) })
  const app = render(<Told isSo={false} />, { stdout: stdout as unknown as NodeJS.WriteStream, debug: true })
  const after = async (milliseconds: number) => {
    await vi.advanceTimersByTimeAsync(milliseconds)
    await painted()
    return frame
  }
  app.rerender(<Told isSo />)
  expect(await after(0)).toBe('calm')
  expect(await after(199)).toBe('calm')
  expect(await after(1)).toBe('late')
  app.rerender(<Told isSo={false} />)
  expect(await after(0)).toBe('calm')
  app.rerender(<Told isSo />)
  await after(150)
  app.rerender(<Told isSo={false} />)
  expect(await after(500)).toBe('calm')
  app.unmount()
})
