import { commandLine } from '../output/shell-line.ts'
import { type Flags, type ScopeFlag, scopeFlags } from './flags.ts'

/** What says where, as whom and in what; with the short form. */
const scopes: Readonly<Record<ScopeFlag, string>> = { url: '--url', profile: '-P', account: '-A', org: '-o' }
const scopeNames = Object.keys(scopes) as readonly ScopeFlag[]

/** A word of a line as `commandLine` quotes it; a sign at its end belongs to the sentence around it. */
const word = String.raw`(?:'[^']*'|\\'|[^\s'\\;|<:,]|[:,](?=\S))+`
/** The words of a hint that are a command, also one that is piped into: to its end, to what it reads, or to the next one. */
const commands = new RegExp(String.raw`(?<=^|: |\w \| )postern (?!.*--help)${word}(?: ${word})*(?=;|(?: < \S+)?$)`, 'g')
const ofOrganization = /^postern (?:invitation|invite|member|role|team|key|org (?:view|edit|export|activity)) /

/** A hint, where its commands work where and as whom the one that failed did; a flag that was wrong itself is left out. */
export const scopedHint = (hint: string, flags: Flags, wrong: readonly string[] = []): string =>
  hint.replace(commands, (line) => {
    const words = line.split(/[ =]/)
    const isMissing = (name: ScopeFlag) =>
      ![...words, ...wrong].some((word) => word === `--${name}` || word === scopes[name])
    const isMeant = {
      url: true,
      profile: true,
      account: !line.includes('--email'),
      org: ofOrganization.test(`${line} `),
    }
    const scope = scopeNames.filter((name) => isMeant[name] && isMissing(name))
    return [line, commandLine(...scopeFlags(flags, scope))].filter((part) => part !== '').join(' ')
  })
