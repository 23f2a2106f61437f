import { commandLine } from '../flows/command-line.ts'
import { type Flags, type ScopeFlag, scopeFlags } from './flags.ts'

/** What says where, as whom and in what; with the short form. */
const scopes: Readonly<Record<ScopeFlag, string>> = { url: '--url', profile: '-P', account: '-A', org: '-o' }
const scopeNames = Object.keys(scopes) as readonly ScopeFlag[]

/** The words at the end of a hint that are a command. */
const commandAtEnd = /(?:^|: )(postern (?![^:;,<|]*--help)[^:;,<|]+)$/
const ofOrganization = /^postern (?:invitation|member|role|team) /

/** A hint, where its command works where and as whom the one that failed did; a flag that was wrong itself is left out. */
export function scopedHint(hint: string, flags: Flags, wrong: readonly string[] = []): string {
  const [, line] = commandAtEnd.exec(hint) ?? []
  if (line === undefined) return hint
  const words = line.split(/[ =]/)
  const isMissing = (name: ScopeFlag) =>
    ![...words, ...wrong].some((word) => word === `--${name}` || word === scopes[name])
  const isMeant = { url: true, profile: true, account: !line.includes('--email'), org: ofOrganization.test(line) }
  const scope = scopeNames.filter((name) => isMeant[name] && isMissing(name))
  return [hint, commandLine(...scopeFlags(flags, scope))].filter((part) => part !== '').join(' ')
}
