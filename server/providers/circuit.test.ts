import { beforeEach, describe, expect, it } from 'vitest'
import { type CallOutcome, type Circuit, createCircuit } from './outbound.ts'

let now: number
let circuit: Circuit
beforeEach(() => {
  now = 0
  circuit = createCircuit(() => now)
})

const times = (count: number, outcome: CallOutcome, callerOf: (index: number) => string | null = () => 'one') => {
  for (let index = 0; index < count; index += 1) circuit.settle(callerOf(index), outcome)
}
const each = (index: number) => `caller ${index}`

describe('a host is left alone', () => {
  it('when ten different callers failed there', () => {
    times(9, 'failed', each)
    expect(circuit.isOpen()).toBe(false)
    circuit.settle('one more', 'failed')
    expect(circuit.isOpen()).toBe(true)
  })

  it('when ten calls found no connection, whoever asked', () => {
    times(9, 'unreachable')
    expect(circuit.isOpen()).toBe(false)
    times(1, 'unreachable')
    expect(circuit.isOpen()).toBe(true)
  })

  it('when ten calls failed that carry nothing of a caller', () => {
    times(9, 'failed', () => null)
    expect(circuit.isOpen()).toBe(false)
    times(1, 'failed', () => null)
    expect(circuit.isOpen()).toBe(true)
  })

  it('never by one caller, nor by a few', () => {
    times(10_000, 'failed')
    times(10_000, 'failed', (index) => `of nine ${index % 8}`)
    expect(circuit.isOpen()).toBe(false)
  })

  it('not where more is answered than fails', () => {
    times(500, 'answered')
    times(400, 'failed', each)
    times(100, 'unreachable')
    expect(circuit.isOpen()).toBe(false)
    times(1, 'unreachable')
    expect(circuit.isOpen()).toBe(true)
  })

  it('not by failures of different minutes', () => {
    for (let index = 0; index < 50; index += 1) {
      times(1, 'unreachable')
      now += 10_000
    }
    expect(circuit.isOpen()).toBe(false)
  })
})

describe('after its rest it is asked again', () => {
  beforeEach(() => {
    times(10, 'unreachable')
    now += 29_999
  })
  const rested = () => {
    expect(circuit.isOpen()).toBe(true)
    now += 1
    expect(circuit.isOpen()).toBe(false)
  }

  it('and rests once more after two failures', () => {
    rested()
    times(2, 'unreachable')
    expect(circuit.isOpen()).toBe(true)
  })

  it('but not by the failures of one caller', () => {
    rested()
    times(1000, 'failed')
    expect(circuit.isOpen()).toBe(false)
    circuit.settle('another', 'failed')
    expect(circuit.isOpen()).toBe(true)
  })

  it('and counts from nothing after an answer', () => {
    rested()
    times(1, 'unreachable')
    times(1, 'answered')
    times(9, 'unreachable')
    expect(circuit.isOpen()).toBe(false)
    times(1, 'unreachable')
    expect(circuit.isOpen()).toBe(true)
  })
})

it('does not rest longer by what was asked before', () => {
  times(200, 'unreachable')
  now += 30_000
  expect(circuit.isOpen()).toBe(false)
})
