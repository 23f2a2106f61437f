import type { Context } from '../context.ts'
import { commandLine, quotedWord } from '../output/shell-line.ts'
import { type Flags, type ScopeFlag, scopeFlags } from './flags.ts'

/** What says where, as whom and in what; with the short form. */
const scopes: Readonly<Record<ScopeFlag, string>> = { url: '--url', profile: '-P', account: '-A', org: '-o' }
const scopeNames = Object.keys(scopes) as readonly ScopeFlag[]

/** The words of a hint that are a command, also one that is piped into: to its end, to what it reads, or to the next one. */
const commands = new RegExp(String.raw`(?<=^|: |\w \| )postern ${quotedWord}(?: ${quotedWord})*(?=;|(?: < \S+)?$)`, 'g')
const words = new RegExp(quotedWord, 'g')
const ofOrganization = /^postern (?:invitation|invite|member|role|team|key|org (?:view|edit|export|activity)) /

/** A hint, where its commands work where and as whom the one that failed did; a flag that was wrong itself is left out. */
export const scopedHint = (hint: string, flags: Flags, wrong: readonly string[] = []): string =>
  hint.replace(commands, (line) => {
    // What a name says between its quotes is no flag.
    const flagsThere = (line.match(words) ?? []).map((word) => word.replace(/=.*/, ''))
    if (flagsThere.includes('--help')) return line
    const isMissing = (name: ScopeFlag) =>
      ![...flagsThere, ...wrong].some((word) => word === `--${name}` || word === scopes[name])
    const isMeant = {
      url: true,
      profile: true,
      account: !flagsThere.includes('--email'),
      org: ofOrganization.test(`${line} `),
    }
    const scope = scopeNames.filter((name) => isMeant[name] && isMissing(name))
    return [line, commandLine(...scopeFlags(flags, scope))].filter((part) => part !== '').join(' ')
  })

/** Tells people what may follow: a command at its end works where, and as whom, this one did. */
export const noteNext = ({ out, flags }: Pick<Context, 'out' | 'flags'>, text: string): void =>
  out.note(scopedHint(text, flags))
