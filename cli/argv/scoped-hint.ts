import type { Context } from '../context.ts'
import { commandLine, quotedWord } from '../output/shell-line.ts'
import { type Flags, type ScopeFlag, scopeFlags, scopeNames } from './flags.ts'
import { isOfOrganization } from './organization-commands.ts'

/** Each of these flags in its short form, if it has one. */
const scopes: Readonly<Record<ScopeFlag, string>> = { url: '--url', profile: '-P', account: '-A', org: '-O' }

/** Matches each command in a hint, also the right side of a pipe. It ends at a redirection, a semicolon or the end. */
const commands = new RegExp(String.raw`(?<=^|: |\w \| )postern ${quotedWord}(?: ${quotedWord})*(?=;|(?: < \S+)?$)`, 'g')
const words = new RegExp(quotedWord, 'g')

/** Commands about this machine's own files, whatever the service. */
const local = /^postern (?:profile (?!create )|config )/

/** With these, a command is about what belongs to no organization. */
const ofNoOrganization: ReadonlySet<string> = new Set(['--mine', '--platform'])

/** Adds the scope flags of the failed command to the commands in a hint, except flags that were themselves wrong. */
export const scopedHint = (hint: string, flags: Flags, wrong: readonly string[] = []): string =>
  hint.replace(commands, (line) => {
    // Quoted words stay whole, so a flag inside a quoted name does not count.
    const flagsThere = (line.match(words) ?? []).map((word) => word.replace(/=.*/, ''))
    if (local.test(`${line} `) || flagsThere.includes('--help')) return line
    const isMissing = (name: ScopeFlag) =>
      ![...flagsThere, ...wrong].some((word) => word === `--${name}` || word === scopes[name])
    const isMeant = {
      url: true,
      profile: true,
      account: !flagsThere.includes('--email'),
      org: isOfOrganization(line) && !flagsThere.some((word) => ofNoOrganization.has(word)),
    }
    const scope = scopeNames.filter((name) => isMeant[name] && isMissing(name))
    return [line, commandLine(...scopeFlags(flags, scope))].filter((part) => part !== '').join(' ')
  })

/** Suggests the next step. A command at the end of the text gets this run's scope flags. */
export const printNextStep = ({ out, flags }: Pick<Context, 'out' | 'flags'>, text: string): void =>
  out.note(scopedHint(text, flags))
