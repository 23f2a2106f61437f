import fc from 'fast-check'

const letters = Array.from('ABCXYZabcxyz0189-_.~+/=%')

/** Small changes of a text: one letter more, less, other, in the other case or in another place, or a part twice. */
const changes: Record<string, (text: string, at: number, letter: string) => string> = {
  insert: (text, at, letter) => text.slice(0, at) + letter + text.slice(at),
  remove: (text, at) => text.slice(0, at) + text.slice(at + 1),
  replace: (text, at, letter) => text.slice(0, at) + letter + text.slice(at + 1),
  'other case': (text, at) => {
    const old = text.charAt(at)
    const other = old === old.toLowerCase() ? old.toUpperCase() : old.toLowerCase()
    return text.slice(0, at) + other + text.slice(at + 1)
  },
  swap: (text, at) => text.slice(0, at) + text.charAt(at + 1) + text.charAt(at) + text.slice(at + 2),
  cut: (text, at) => text.slice(0, at),
  'cut the start': (text, at) => text.slice(at),
  repeat: (text, at) => text.slice(0, at) + text,
}

/** Texts that are nearly this one. */
export const mutationsOf = (text: string): fc.Arbitrary<string> =>
  fc
    .record({
      change: fc.constantFrom(...Object.values(changes)),
      at: fc.nat(text.length),
      letter: fc.constantFrom(...letters),
    })
    .map(({ change, at, letter }) => change(text, at, letter))
    .filter((mutated) => mutated !== text)
