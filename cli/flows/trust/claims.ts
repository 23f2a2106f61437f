/** A comma may stand in a claim too: what has no name goes on with the one before. */
const wholeClaims = (words: readonly string[]): readonly string[] =>
  words.reduce<readonly string[]>((claims, word) => {
    const before = claims.at(-1)
    return word.includes('=') || before === undefined
      ? [...claims, word]
      : [...claims.slice(0, -1), `${before},${word}`]
  }, [])

const pairOf = (claim: string): readonly [name: string, value: string] => {
  const at = claim.indexOf('=')
  return [claim.slice(0, at).trim(), claim.slice(at + 1).trim()]
}

/** `repository=acme/site` each; the first sign of equality ends the name. */
export const claimsIn = (words: readonly string[]): Readonly<Record<string, string>> =>
  Object.fromEntries(wholeClaims(words).map(pairOf))

/** What is wrong with them before anything is sent. */
export function claimProblem(words: readonly string[]): string | undefined {
  if (words.length === 0) return 'At least one claim is needed'
  const pairs = wholeClaims(words).map((claim) => [claim, ...pairOf(claim)] as const)
  const wrong = pairs.find(([claim, name, value]) => !claim.includes('=') || name === '' || value === '')
  if (wrong) return `A claim looks like repository=acme/site, not ${wrong[0]}`
  const names = pairs.map(([, name]) => name)
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  return twice === undefined ? undefined : `The claim ${twice} is given twice: a token says one thing`
}
