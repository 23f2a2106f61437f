import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ServiceFailure } from '../client/errors.ts'
import type { Column } from './cell.ts'
import { CliError } from './cli-error.ts'
import { plainPaint } from './colour.ts'
import { errorJson, errorText, toCliError } from './error-report.ts'
import { jsonText } from './escape-controls.ts'
import { createOut, type OutputStyle, tabSeparated } from './out.ts'
import { columnWidths, sheet, table } from './table.ts'
import { relativeTime, shortTime } from './time.ts'
import { displayWidth } from './width.ts'

interface Row {
  readonly id: string
  readonly name: string | null
  readonly at: Date
}

const now = Date.parse('2026-01-02T00:00:00Z')
const columns: readonly Column<Row>[] = [
  { header: 'Name', value: (row) => row.name },
  { header: 'Created', value: (row) => row.at },
  { header: 'ID', value: (row) => row.id, id: 'argument' },
]
const row = (name: string | null): Row => ({ id: '0198c5f0-6c1e', name, at: new Date(now - 7_200_000) })

describe('a table', () => {
  it('is never wider than its page, and shows enough of an id to name it', () => {
    const rows = [row('a name that is much longer than the room there is for it'), row('日本語のとても長い名前です')]
    for (const width of [120, 80, 60, 40, 34]) {
      const lines = table(rows, columns, { width, now, paint: plainPaint })
      expect(Math.max(...lines.map(displayWidth))).toBeLessThanOrEqual(width)
      expect(lines.slice(1).every((line) => /(?:^|…|0198c)5?f0-6c1e$/.test(line))).toBe(true)
    }
    expect(table([row('short')], columns, { width: 80, now, paint: plainPaint })[1]).toBe(
      'short  2h       0198c5f0-6c1e',
    )
  })

  it('shows as much of ids as tells each from all others', () => {
    const ids = ['0198c5f0-aaaa-f0f0f0f0', '0198c5f0-bbbb-f0f0f0f0', '0198c5f0-bbbb-f0f0f0f0']
    const rows = ids.map((id) => ({ ...row('a rather long name that needs its room'), id }))
    const lines = table(rows, columns, { width: 40, now, paint: plainPaint })
    expect(lines.slice(1).map((line) => line.split('…').at(-1))).toEqual(['a-f0f0f0f0', 'b-f0f0f0f0', 'b-f0f0f0f0'])
  })

  it('cuts the first column only where all that stands beside it is at its least', () => {
    const cell = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 60 })
    fc.assert(
      fc.property(
        fc.array(fc.array(cell, { minLength: 3, maxLength: 3 }), { minLength: 1, maxLength: 5 }),
        fc.integer({ min: 40, max: 120 }),
        (rows, width) => {
          const headers = ['A', 'B', 'C']
          const shown = headers.map((header, at) => ({ header, value: (row: string[]) => row[at] }))
          const widths = columnWidths(
            headers.map((header, at) => ({ id: undefined, cells: [header, ...rows.map((row) => row[at] ?? '')] })),
            width,
            2,
          )
          const natural = headers.map((header, at) =>
            Math.max(...[header, ...rows.map((row) => row[at] ?? '')].map(displayWidth)),
          )
          for (const line of table(rows, shown, { width, now, paint: plainPaint }))
            expect(displayWidth(line)).toBeLessThanOrEqual(width)
          const beside = (widths[0] ?? 0) < (natural[0] ?? 0) ? widths.slice(1) : []
          expect(beside.filter((other) => other > 8)).toEqual([])
        },
      ),
    )
  })

  it('leaves columns out from the right where there is no room, never the first one nor the id', () => {
    const wide: readonly Column<Row>[] = [
      columns[0]!,
      ...['One', 'Two', 'Three', 'Four'].map((header) => ({ header, value: () => `${header} with many words` })),
      columns[2]!,
    ]
    const head = (width: number) =>
      table([row('a name of twenty-three')], wide, { width, now, paint: plainPaint })[0]?.split(/ +/)
    expect(head(120)).toEqual(['NAME', 'ONE', 'TWO', 'THREE', 'FOUR', 'ID'])
    expect(head(60)).toEqual(['NAME', 'ONE', 'TWO', 'THREE', 'ID'])
    expect(head(40)).toEqual(['NAME', 'ONE', 'ID'])
    expect(head(30)).toEqual(['NAME', 'ID'])
  })

  it('lines its columns up whatever the letters are wide', () => {
    const [, ...lines] = table([row('plain'), row('日本'), row('👩‍👩‍👧'), row(null)], columns, {
      width: 80,
      now,
      paint: plainPaint,
    })
    const starts = lines.map((line) => displayWidth(line.slice(0, line.indexOf('2h'))))
    expect(new Set(starts).size).toBe(1)
  })

  it('shows what would act in a terminal by name, and nothing as -', () => {
    expect(table([row('\u001b[2J')], columns, { width: 80, now, paint: plainPaint })[1]).toContain('\\u001b[2J')
    expect(sheet(row(null), columns, { width: 80, now, paint: plainPaint })[0]).toBe('Name:    -')
  })

  it('keeps a program to one line an item and one tab a column', () => {
    expect(tabSeparated([row('a\tb\nc')], columns)).toEqual(['a\\tb\\nc\t2026-01-01T22:00:00.000Z\t0198c5f0-6c1e'])
  })
})

it.each(['people', 'programs'] as const)('a line, a note and a result among several are text only to %s', (mode) => {
  const style: Partial<OutputStyle> = { mode, fields: [], notesWidth: 80, notesPaint: plainPaint }
  let said = ''
  const hear = (text: string) => void (said += text)
  const out = createOut(() => style as OutputStyle, { stdout: hear, stderr: hear })
  out.line('1\u001b[2J', {})
  out.note('2\u001b[2J')
  out.warn('3\u001b[2J')
  out.result({ input: '4\u001b[2J', status: 'done', error: null })
  expect(said.match(/\d\\u001b\[2J/g)).toHaveLength(4)
})

describe('JSON', () => {
  it('escapes what a terminal could obey, and reads back as it was', () => {
    const value = { 'k\u202e': 'a\u001b[2J\u009b\u007f\u200b\u2028\u{e0041}\u3164\u034fé日👍' }
    const text = jsonText(value, 2)
    expect(text).toMatch(/^[\n -~é日👍]*$/u)
    expect(JSON.parse(text)).toEqual(value)
  })
})

describe('time', () => {
  it.each([
    [0, 'now', 'now'],
    [-1, '1 second ago', '1s'],
    [-90, '1 minute ago', '1m'],
    [3_600, 'in 1 hour', 'in 1h'],
    [-172_800, '2 days ago', '2d'],
    [604_799, 'in 7 days', 'in 7d'],
    [550_000, 'in 6 days', 'in 6d'],
    [79_200, 'in 22 hours', 'in 22h'],
    [3_599, 'in 1 hour', 'in 1h'],
    [2_700, 'in 45 minutes', 'in 45m'],
    [-14_040, '3 hours ago', '3h'],
  ])('of %i seconds is %s', (seconds, long, short) => {
    const date = new Date(now + seconds * 1000)
    expect([relativeTime(date, now), shortTime(date, now)]).toEqual([long, short])
  })
})

describe('a sheet', () => {
  it('goes on below, between words, and leaves whole what has no spaces', () => {
    const text = '0198c5f0-6c1e-7cc2-9f4b-2f6d3c0a1b2c is 日本語 and more than that'
    const page = { width: 24, now, paint: plainPaint }
    expect(sheet({ text }, [{ header: 'Name', value: (item) => item.text }], page)).toEqual([
      'Name: 0198c5f0-6c1e-7cc2-9f4b-2f6d3c0a1b2c',
      '      is 日本語 and more',
      '      than that',
    ])
  })
})

describe('a failure', () => {
  it('says what happened and what to do next', () => {
    const error = new CliError(6, 'No session s3', { code: 'NOT_FOUND', hint: 'postern session list' })
    expect(errorText(error, plainPaint)).toBe('error: No session s3\n  next: postern session list\n')
    expect(errorJson(error)).toBe(
      '{"error":{"code":"NOT_FOUND","message":"No session s3","status":null,"exitCode":6,"hint":"postern session list","fields":null}}\n',
    )
  })

  it('gives a line of its own to the command in its hint, and to none that somebody chose as a name', () => {
    const name = 'x: rm -rf ~/x; postern org delete acme --yes'
    const error = new CliError(8, `There are two teams ${name}`, {
      code: 'AMBIGUOUS',
      hint: 'Give it by its id: postern team list',
    })
    expect(errorText(error, plainPaint, 36).split('\n')).toEqual([
      'error: There are two teams x: rm -rf',
      '       ~/x; postern org delete acme',
      '       --yes',
      '  next: Give it by its id:',
      '        postern team list',
      '',
    ])
  })

  it('says what to do about a password that everybody tries', () => {
    const failure = new ServiceFailure(400, { code: 'PASSWORD_TOO_COMMON', message: 'Password too common' })
    expect(errorText(toCliError(failure), plainPaint)).toMatch(/^error: Password too common\n {2}next: .*a few words/)
  })

  it('says whom to ask about what one may not do', () => {
    const code = 'YOU_ARE_NOT_ALLOWED_TO_UPDATE_THIS_TEAM'
    const failure = new ServiceFailure(403, { code, message: 'You are not allowed to update this team' })
    expect(errorText(toCliError(failure), plainPaint)).toMatch(/\n {2}next: .*postern member me/)
  })

  it('keeps the sentence and the code of the service', () => {
    expect(toCliError(new ServiceFailure(403, { code: 'BANNED_USER', message: 'You have been banned' }))).toMatchObject(
      {
        message: 'You have been banned',
        code: 'BANNED_USER',
        status: 403,
        exitCode: 5,
      },
    )
  })

  it('that nobody expected is exit 1', () => {
    expect(toCliError(new TypeError('x is not a function'))).toMatchObject({ exitCode: 1, code: 'UNEXPECTED' })
    expect(toCliError('thrown text')).toMatchObject({ exitCode: 1, message: 'Unexpected: thrown text' })
  })
})
