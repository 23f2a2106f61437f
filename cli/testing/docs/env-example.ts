import { defaultTextOf } from '../../../server/settings/names.ts'
import { settingGroups } from './setting-words.ts'

const width = 110

const head = `# The settings of Postern, each with its default: remove the # in front of a name to set it.
# Production needs NODE_ENV, BASE_URL, DATABASE_URL and SECRET. Any NAME can also be given as NAME_FILE, the path of a file
# that contains the value. docs/configuration.md says more, docs/providers.md has the settings of identity providers.
# Quote a value with a #, and give a comment its own line: systemd takes all that follows the = for the value.
`

/** `.env.example`: every setting of the service, with what it means. */
export const envExample = (): string =>
  [head, ...Object.entries(settingGroups).map(([title, settings]) => groupText(title, settings))].join('\n')

const groupText = (title: string, settings: object): string =>
  [`## ${title}\n`, ...Object.entries(settings).map(([name, words]) => settingText(name, String(words)))].join('\n')

function settingText(name: string, words: string): string {
  const lines = wrap(plain(words)).map((line) => `# ${line}\n`)
  return `${lines.join('')}#${name}=${quoted(defaultTextOf(name) ?? '')}\n`
}

/** Links go to pages that are not beside the file. */
const plain = (words: string): string =>
  words
    .replaceAll(/ See \[[^\]]*\]\([^)]*\)\./g, '')
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll('`', '')

const quoted = (text: string): string => (text.includes(' ') ? `"${text}"` : text)

function wrap(text: string): string[] {
  const lines: string[] = ['']
  for (const word of text.split(' ')) {
    const line = lines.at(-1) ?? ''
    if (line !== '' && line.length + word.length >= width) lines.push(word)
    else lines[lines.length - 1] = line === '' ? word : `${line} ${word}`
  }
  return lines
}
