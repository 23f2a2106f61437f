import { describe, expect, it } from 'vitest'
import { type Position, Positions, parsePosition, positionText } from './positions.ts'

/** A primary whose log grows only when told, and a clock that does so too. */
function primary() {
  const state = { now: 0, lsn: 100n, history: '1/00000001', looks: 0 }
  const waiting: ((position: Position) => void)[] = []
  const positions = new Positions(
    () => {
      state.looks += 1
      return new Promise((resolve) => waiting.push(resolve))
    },
    () => state.now,
  )
  const answer = () => waiting.shift()?.({ history: state.history, lsn: state.lsn })
  const look = async () => {
    const looked = positions.look()
    answer()
    return looked
  }
  return { state, positions, answer, look }
}

describe('a position as text', () => {
  it('is read as it was written', () => {
    const position = { history: '7423/00000002', lsn: 123_456_789n }
    expect(parsePosition(positionText(position))).toEqual(position)
  })

  it.each(['', '1/2', '1/2 ', '1/2 x', ' 5', '1/2 -5', `${'h'.repeat(101)} 5`, `1/2 ${'9'.repeat(21)}`, '1/2 5 6'])(
    'is none: %j',
    (text) => expect(parsePosition(text)).toBeUndefined(),
  )
})

describe('the positions of the primary', () => {
  it('are unknown before the first look, which nobody waits for', async () => {
    const { state, positions, answer } = primary()
    expect(positions.known()).toBeNull()
    expect(positions.known()).toBeNull()
    expect(state.looks).toBe(1)
    answer()
    await expect.poll(() => positions.known()).toMatchObject({ lsn: 100n })
  })

  it('ask of a replica what the primary had ten seconds ago, and nothing after ten seconds without a look', async () => {
    const { state, positions, look } = primary()
    for (const second of [0, 4, 9, 12]) {
      Object.assign(state, { now: second * 1000, lsn: BigInt(100 + second) })
      await look()
    }
    expect(positions.known()).toMatchObject({ lsn: 104n })
    state.now = 22_001
    expect(positions.known()).toBeNull()
  })

  it('call a replica late that lacks what is eight seconds old, not one that lacks what is new', async () => {
    const { state, positions, look } = primary()
    await look()
    Object.assign(state, { now: 7000, lsn: 200n })
    await look()
    expect([positions.isLate(99n), positions.isLate(150n)]).toEqual([false, false])
    state.now = 8000
    expect([positions.isLate(99n), positions.isLate(100n), positions.isLate(150n)]).toEqual([true, false, false])
  })

  it('of another timeline replace all older ones', async () => {
    const { state, positions, look } = primary()
    await look()
    Object.assign(state, { now: 2000, lsn: 50n, history: '1/00000002' })
    await look()
    expect(positions.known()).toMatchObject({ history: '1/00000002', lsn: 50n })
  })

  it('are looked up anew for whoever asks during a look, once for all of them', async () => {
    const { state, positions, answer } = primary()
    const first = positions.look()
    const [second, third] = [positions.look(), positions.look()]
    answer()
    expect(await first).toMatchObject({ lsn: 100n })
    state.lsn = 101n
    await expect.poll(() => state.looks).toBe(2)
    answer()
    expect([await second, await third]).toMatchObject([{ lsn: 101n }, { lsn: 101n }])
    expect(state.looks).toBe(2)
  })

  it('go on after a look that failed', async () => {
    let fails = true
    const positions = new Positions(
      () => (fails ? Promise.reject(new Error('no primary')) : Promise.resolve({ history: '1/1', lsn: 7n })),
      () => 0,
    )
    await expect(positions.look()).rejects.toThrow('no primary')
    fails = false
    expect(await positions.look()).toMatchObject({ lsn: 7n })
    expect(positions.known()).toMatchObject({ lsn: 7n })
  })
})
