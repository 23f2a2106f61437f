import { describe, expect, it } from 'vitest'
import { type Naming, pickOne } from './candidates.ts'

interface Person {
  readonly id: string
  readonly name: string
}
const bob: Person = { id: '01a20210-ee69-72f9-93d3-214654788910', name: 'Bob' }
const naming: Naming<Person> = {
  kind: 'member',
  ids: ({ id }) => [id],
  ways: [({ name }, word) => name === word],
  describe: ({ id }) => id,
  list: 'See them',
}
const eveCalled = (name: string): Person => ({ id: '01a20210-eba9-7068-a293-6a96ee887471', name })
const pick = (eve: Person, word: string) => pickOne([eve, bob], word, naming)

describe('a word for one of several', () => {
  it('means the id that ends so where it stands as in a table, whatever somebody calls themselves', () => {
    expect(pick(eveCalled('…54788910'), '…54788910')).toBe(bob)
    expect(pick(eveCalled('54788910'), '…54788910')).toBe(bob)
  })

  it('is refused where it is the name of one and the ending of the id of another', () => {
    const refusal = expect.objectContaining({ exitCode: 7, details: [eveCalled('').id, bob.id] })
    expect(() => pick(eveCalled('54788910'), '54788910')).toThrow(refusal)
  })

  it('means the whole id before any name', () => {
    expect(pick(eveCalled(bob.id), bob.id)).toBe(bob)
  })

  it('may be a name that looks like an ending and is none, or is that of the same one', () => {
    const eve = eveCalled('1.0000000')
    expect(pick(eve, '1.0000000')).toBe(eve)
    const own = eveCalled('ee887471')
    expect(pick(own, 'ee887471')).toBe(own)
    // Too short for an ending.
    const short = eveCalled('910')
    expect(pick(short, '910')).toBe(short)
  })
})
