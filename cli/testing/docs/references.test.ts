import { existsSync, statSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import type { Command } from 'commander'
import { beforeAll, describe, expect, it, test } from 'vitest'
import { isSetting, settingOfFileKey } from '../../../server/settings/names.ts'
import { catalogue, type FailureName } from '../../../shared/errors.ts'
import { codeInBody, wireOf } from '../../../shared/failure.ts'
import { createContext } from '../../context.ts'
import { hostOf } from '../../process/own-host.ts'
import { createProgram } from '../../program.ts'
import { knownVariables } from '../../topics/topics.ts'
import { namedCommands, unknownIn } from '../named-commands.ts'
import { codeBlocks, inlineCode } from './markdown.ts'
import { documents, readPage, root } from './pages.ts'

let program: Command
beforeAll(async () => {
  program = await createProgram(createContext(hostOf(() => new AbortController().signal)))
})

test('README has one page', () => {
  expect(statSync(join(root, 'README.md')).size).toBeLessThanOrEqual(8192)
})

test('every page is reached from README', () => {
  const reached = new Set(['README.md'])
  for (const path of reached)
    for (const { target } of linksIn(readPage(path)))
      if (target.endsWith('.md') && existsSync(join(root, dirname(path), target)))
        reached.add(join(dirname(path), target))
  expect(documents().filter((path) => !reached.has(path))).toEqual([])
})

describe.each(documents())('%s', (path) => {
  it('links to what is there', () => {
    expect(linksIn(readPage(path)).filter((link) => !leadsSomewhere(path, link))).toEqual([])
  })

  it('names commands and flags that are there', () => {
    expect(unknownCommands(codeIn(readPage(path)))).toEqual([])
  })

  it('names settings and variables that are there', () => {
    expect(
      codeIn(readPage(path))
        .flatMap(variablesIn)
        .filter((name) => !isKnown(name)),
    ).toEqual([])
  })

  it('names scripts and files that are there', () => {
    const texts = codeIn(readPage(path))
    const scripts = texts.flatMap((text) => Array.from(text.matchAll(/npm run ([\w:]+)/g), ([, name = '']) => name))
    expect(scripts.filter((name) => !isScript(name))).toEqual([])
    const paths = texts.flatMap((text) => text.split(/\s+/)).filter(isSourcePath)
    expect(paths.filter((name) => !existsSync(join(root, name)))).toEqual([])
  })
})

interface Link {
  readonly target: string
  readonly anchor: string
}

/** Those that lead to a file of ours. */
const linksIn = (page: string): readonly Link[] =>
  Array.from(page.matchAll(/\]\((?!https?:)([^)#\s]*)(?:#([^)\s]*))?\)/g), ([, target = '', anchor = '']) => ({
    target,
    anchor,
  }))

function leadsSomewhere(from: string, { target, anchor }: Link): boolean {
  const to = target === '' ? from : relative(root, join(root, dirname(from), target))
  if (!existsSync(join(root, to))) return false
  return anchor === '' || anchorsOf(readPage(to)).includes(anchor)
}

/** What GitHub calls the headings of a page. */
const anchorsOf = (page: string): readonly string[] =>
  Array.from(page.replaceAll(/^```[\s\S]*?^```$/gm, '').matchAll(/^#+ (.+)$/gm), ([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  )

/** Text of files and of programs; what is generated is true already. */
const codeIn = (page: string): readonly string[] => {
  const own = page.replaceAll(/<!-- generated: [\s\S]*?<!-- end -->/g, '')
  return [...codeBlocks(own).map(({ text }) => text), ...inlineCode(own)]
}

/** What a shell fills in is a value; comments are no part of a command. */
const asTyped = (text: string): string =>
  text
    .replaceAll(/\\\n\s*/g, ' ')
    .replaceAll(/(?:^|\s)#.*$/gm, '')
    .replaceAll(/"?\$\{?\w+\}?"?/g, 'VALUE')
    .replaceAll(/'[^'\n]*'|"[^"\n]*"/g, 'VALUE')

const unknownCommands = (texts: readonly string[]): readonly string[] =>
  texts
    .flatMap((text) => namedCommands(asTyped(text)))
    .flatMap((line) => unknownIn(program, line).map((word) => `${word} in ${line}`))

/** Capitals with a low line, or alone in a piece of code. */
const variablesIn = (text: string): readonly string[] =>
  Array.from(text.matchAll(/(?<![\w-])[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+(?![\w*…])|^[A-Z]{4,}$/g), ([name]) => name)

/** Variables of other programs, of the tests, and words that stand for a value. */
const others = new Set([
  'ACCOUNT_ID',
  'ASK_YOUR_ADMINISTRATOR',
  'CHROMIUM',
  'DEPLOY_ROUNDS',
  'EMAIL',
  'FILE',
  'FUZZ_RUNS',
  'FUZZ_SEED',
  'ID_TOKEN',
  'LANG',
  'LC_ALL',
  'LC_MESSAGES',
  'LINK',
  'NAME',
  'NAME_FILE',
  'POSTERN_ORIGIN',
  'PROVIDER',
  'HA_ROUNDS',
  'LIMIT_TRIES',
  'RACE_ROUNDS',
  'RATE_LIMITS',
  'TEST_TURN',
  'TEST_DATABASE_URL',
  'TEST_SLACK',
  'TICKET',
  'TMPDIR',
  'WEBHOOK_SECRET',
  'WHOLE_TABLES',
])
const codes = new Set<string>([
  ...Object.keys(catalogue),
  ...Object.values(catalogue).flatMap((entry) => Object.values(entry).map(String)),
  ...(Object.keys(catalogue) as FailureName[]).map((failure) => codeInBody(wireOf(failure).body) ?? ''),
])

const isKnown = (name: string): boolean =>
  isSetting(name) ||
  settingOfFileKey(name) !== undefined ||
  knownVariables().includes(name) ||
  codes.has(name) ||
  others.has(name)

const { scripts } = JSON.parse(readPage('package.json')) as { readonly scripts: object }
const isScript = (name: string): boolean => Object.hasOwn(scripts, name)

/** `server/http/app.ts`, `docs/`; what has a blank for a name is a pattern. */
const isSourcePath = (text: string): boolean =>
  /^(?:bin|cli|docs|migrations|pictures|server|shared|\.ci)\/[\w./-]*$/.test(text) && !text.includes('NNNN')

describe('what is wrong is found', () => {
  it.each([
    ['npx postern team lits', ['lits in postern team lits']],
    ['postern sign-in --mail "$EMAIL"', ['--mail in postern sign-in --mail VALUE']],
    ['postern org use acme # postern org us', []],
  ])('in %s', (text, found) => expect(unknownCommands([text])).toEqual(found))

  it.each([
    [{ target: 'docs/no-such-page.md', anchor: '' }, false],
    [{ target: 'docs/configuration.md', anchor: 'no-such-heading' }, false],
    [{ target: 'docs/configuration.md', anchor: 'database' }, true],
  ])('%j leads somewhere: %j', (link, leads) => expect(leadsSomewhere('README.md', link)).toBe(leads))

  it.each([
    ['DATABASE_URI', false],
    ['DATABASE_URL', true],
    ['GOOGLE_CLIENT_ID', true],
    ['OIDC_ACME_ISSUER', true],
  ])('%s is known: %j', (name, known) => expect([variablesIn(name), isKnown(name)]).toEqual([[name], known]))
})
