import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { displayWidth } from '../../output/width.ts'
import { Breadcrumb } from '../screens/chrome.tsx'
import { Options } from '../screens/form-fields.tsx'
import { Tabs } from '../screens/organization/organization.tsx'
import { painted, paintedWithFaults } from '../testing/painted.tsx'
import { fitCell, listWidths, shrinkWidths } from './columns.ts'
import { Confirm } from './confirm.tsx'
import { SecretView, TakeoverView, titleWithRange } from './dialog.tsx'
import { sanitizeText } from './field.tsx'
import { fitKeys } from './footer.tsx'
import { Help } from './help.tsx'
import { widthsOf } from './picker.tsx'
import { ErrorView } from './reading.tsx'
import { Table } from './table.tsx'

test('only one component hands text to Ink, so that all of it is filtered', () => {
  const folder = fileURLToPath(new URL('..', import.meta.url))
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.tsx'))
  const writers = files.filter((name) =>
    /import \{[^}]*\b(Text|Transform|Static|Newline)\b[^}]*\} from 'ink'/.test(
      readFileSync(`${folder}${name}`, 'utf8'),
    ),
  )
  expect(files.length).toBeGreaterThan(20)
  expect(writers).toEqual(['components/primitives.tsx'])
})

test('columns fill no more than the room as long as they can give way', () => {
  expect(shrinkWidths([10, 40, 12], 60)).toEqual([10, 38, 12])
  expect(shrinkWidths([10, 10], 30)).toEqual([10, 10])
  expect(shrinkWidths([30, 30], 4)).toEqual([6, 6])
})

/** The widths in a room, with the numbers of those columns that are read first. */
const widthsIn = (room: number, natural: readonly number[], ...readFirst: readonly number[]) =>
  listWidths(
    natural.map((width, at) => ({ natural: width, isReadFirst: readFirst.includes(at) })),
    room,
  )

test('what is read first is whole as long as there is room, and what has too little room beside it goes', () => {
  expect(widthsIn(100, [24, 7, 15, 27, 30], 0, 1, 2)).toEqual([24, 7, 15, 23, 23])
  expect(widthsIn(76, [24, 7, 27, 27, 30], 0, 1, 2)).toEqual([24, 7, 27, 12, 0])
  expect(widthsIn(78, [24, 7, 27, 5, 7], 0, 1, 2)).toEqual([24, 7, 27, 5, 7])
  expect(widthsIn(76, [24, 7, 60, 27, 30], 0, 1, 2)).toEqual([24, 7, 41, 0, 0])
  expect(widthsIn(56, [24, 7, 60], 0, 1, 2)).toEqual([24, 7, 21])
  expect(widthsIn(30, [24, 7, 60], 0, 1, 2)).toEqual([24, 0, 0])
  expect(widthsIn(30, [50, 7], 0)).toEqual([30, 0])
})

test('what is read first leaves some room to the others if it is very long', () => {
  expect(widthsIn(77, [19, 100, 6, 6, 5], 1)).toEqual([12, 55, 6, 0, 0])
  expect(widthsIn(78, [22, 4, 49, 30, 30], 0, 1, 2)).toEqual([22, 4, 36, 10, 0])
  expect(widthsIn(37, [19, 100], 1)).toEqual([0, 37])
})

test('a long name takes at most a third as long as another column needs the room', () => {
  expect(widthsIn(75, [60, 30, 14, 4], 1)).toEqual([21, 30, 14, 4])
  expect(widthsIn(90, [60, 30, 20, 20], 1)).toEqual([18, 30, 18, 18])
  expect(widthsIn(90, [60, 12, 12, 8])).toEqual([52, 12, 12, 8])
  expect(widthsIn(90, [60, 40, 60])).toEqual([29, 29, 28])
  // A column without content takes no gap either.
  expect(widthsIn(40, [60, 24, 0], 1)).toEqual([14, 24, 0])
  expect(widthsIn(36, [60, 34, 8], 1)).toEqual([0, 34, 0])
})

test('columns of a list never fill more than the room', () => {
  const column = fc.record({ natural: fc.nat(90), isReadFirst: fc.boolean() })
  fc.assert(
    fc.property(
      fc.array(column, { minLength: 1, maxLength: 7 }),
      fc.integer({ min: 34, max: 200 }),
      (columns, room) => {
        const shown = listWidths(columns, room).filter((width) => width > 0)
        expect(shown.reduce((sum, width) => sum + width + 2, -2)).toBeLessThanOrEqual(room)
      },
    ),
  )
})

test('a cell is exactly as wide as asked, whatever stands in it', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 1, max: 20 }), (text, width) => {
      expect(displayWidth(fitCell(text, width))).toBe(width)
    }),
  )
})

test('the footer drops keys that do nothing now first, others from the right, but never help and the way out', () => {
  const keys = ['a', 'b', 'c', 'd'].map((key) => ({ key, label: 'label', isDisabled: false }))
  const shown = (width: number) =>
    fitKeys(keys, width)
      .map(({ key }) => key)
      .join('')
  expect(shown(80)).toBe('abcd')
  expect(shown(28)).toBe('acd')
  expect(shown(5)).toBe('cd')
  const refused = fitKeys([{ key: 'a', label: 'label', isDisabled: true }, ...keys.slice(1)], 38)
  expect(refused).toHaveLength(3)
  const disabled = (key: string) => ({ key, label: 'label', isDisabled: true })
  const some = [disabled('a'), ...keys.slice(1), { key: 'e', label: 'label', isDisabled: false }]
  // One of the first three fits.
  expect(fitKeys(some, 28).map(({ key }) => key)).toEqual(['b', 'd', 'e'])
  expect(fitKeys(some, 80).map(({ key }) => key)).toEqual(['a', 'b', 'c', 'd', 'e'])
})

test('in a menu hints keep room beside one long name, and give way to names where there is little', () => {
  const choices = ['Revoke', 'Revoke all others'].map((label) => ({
    id: label,
    label,
    hint: 'postern session revoke --others',
    run: () => {},
  }))
  expect(widthsOf(choices, 74)).toEqual({ label: 17, key: 0, hint: 31 })
  expect(widthsOf(choices, 40)).toEqual({ label: 17, key: 0, hint: 19 })
  expect(widthsOf(choices, 30)).toEqual({ label: 17, key: 0, hint: 0 })
  const long = { id: 'long', label: 'x'.repeat(200), hint: 'member of Acme', run: () => {} }
  expect(widthsOf([...choices, long], 74)).toEqual({ label: 48, key: 0, hint: 22 })
  expect(widthsOf([long], 32)).toEqual({ label: 30, key: 0, hint: 0 })
})

test('an essential key stays in the footer as long as any', () => {
  const keys = ['a', 'b', 'c', 'd', 'e'].map((key) => ({
    key,
    label: 'label',
    isDisabled: false,
    isEssential: key === 'c',
  }))
  const shown = (width: number) => fitKeys(keys, width).map(({ key }) => key)
  expect(shown(38)).toEqual(['a', 'c', 'd', 'e'])
  expect(shown(30)).toEqual(['c', 'd', 'e'])
})

test('a field keeps what can be sent, and nothing that acts or hides', () => {
  expect(sanitizeText('a\u001b[2Jb\u202ec\u200bd', false)).toBe('a[2Jbcd')
  expect(sanitizeText('pass\u200bword\u202e', true)).toBe('pass\u200bword\u202e')
  expect(sanitizeText('👩‍👩‍👧\ud83d', false)).toBe('👩‍👩‍👧')
})

test('the row of screens gets shorter where the path has to be read, and never goes', () => {
  const tabs = ['Home', 'Accounts', 'Sessions', 'Profile', 'Orgs', 'Requests'].map((title, index) => ({
    screen: 'home' as const,
    key: String(index + 1),
    title,
    isHere: title === 'Orgs',
  }))
  const rowAt = (width: number, ...titles: string[]) => painted(<Breadcrumb {...{ titles, tabs, width }} />, width)
  expect(rowAt(78, 'Orgs')).toMatch(/^Orgs +1 Home {3}2 Accounts {3}3 Sessions {3}4 Profile {3}5 Orgs {3}6 Requests$/)
  expect(rowAt(78, 'Orgs', 'Acme', 'Design')).toMatch(
    /^Orgs › Acme › Design +1 Hom {2}2 Acc {2}3 Ses {2}4 Pro {2}5 Orgs {2}6 Req$/,
  )
  expect(rowAt(58, 'Orgs', 'Acme', 'ada@example.com')).toMatch(/^Orgs › Acme › ada@example.com +1 2 3 4 \[5\] 6$/)
  expect(rowAt(58, 'Orgs', 'Acme', 'a'.repeat(60))).toMatch(/^Orgs › Acme › a+….* {2}1 2 3 4 \[5\] 6$/)
  expect(rowAt(58, 'Orgs', 'A very long name '.repeat(9), 'Ada Lovelace')).toMatch(
    /^Orgs › A very long name.*… › Ada Lovelace {2}1 2 3 4 \[5\] 6$/,
  )
})

test('the tabs count what each panel holds, in groups as lists do; in a narrow window the present one alone', () => {
  const tabs = (width: number) =>
    painted(<Tabs panel="teams" counts={{ members: 5002, teams: 0 }} width={width} onPanel={() => {}} />, 90)
  expect(tabs(90)).toContain('Members 5,002    Invitations   [Teams 0]   Roles    Keys    Settings')
  expect(tabs(40).trim()).toBe('[Teams 0]  3 of 6, tab')
})

test('a field of options shows what is chosen of it where there is no room for all, and at a key what it would choose', () => {
  const options = ['owner', 'admin', 'billing', 'reader'].map((id) => ({ id, label: id }))
  const common = { label: 'Roles', labelWidth: 5, options, chosen: ['billing'], isSeveral: true, problem: undefined }
  const shown = (isActive: boolean, width: number) =>
    painted(<Options {...common} at={0} isActive={isActive} width={width} />, width)
  expect(shown(false, 38)).toMatch(/Roles {2}\[x\] billing {3}\[ \] owner/)
  expect(shown(true, 38)).toMatch(/Roles ❯\[ \] owner {3}\[ \] admin/)
  const owner = { id: 'owner', label: 'owner', disabledReason: 'a machine cannot be an owner' }
  const refused = painted(<Options {...common} options={[owner]} at={0} isActive width={28} />, 28)
  expect(refused.replaceAll(/\s+/g, ' ')).toContain('owner: a machine cannot be an owner')
  expect(shown(false, 78)).toMatch(/owner .* admin .*\[x\] billing .* reader/)
})

test.each([5, 7, 9, 13, 20])('a question is shown whole in %i lines', (height) => {
  const question = 'Act as bob.the.builder@example.com? Both ends of it stand in the audit trail.'
  const details = ['bob.the.builder@example.com', 'and what comes with it']
  const command = 'postern admin user impersonate bob.the.builder@example.com'
  const [onYes, onNo] = [() => {}, () => {}]
  for (const word of [undefined, 'bob.the.builder@example.com']) {
    const shown = painted(<Confirm {...{ question, details, command, word, height, onYes, onNo }} width={38} />, 40)
    expect(shown.replaceAll(/[\s│╭╮╰╯─]/g, '')).toContain(question.replaceAll(' ', ''))
    expect(shown.split('\n').length).toBeLessThanOrEqual(height)
    expect(shown.includes('Type bob.the.builder@example.com')).toBe(word !== undefined)
  }
})

test('large numbers are written as in lists', () => {
  expect(titleWithRange('Work in', { start: 1000, shown: 12, count: 1234 })).toBe('Work in  (1,001–1,012 of 1,234)')
})

test('the command of a question about many ends where the room does, and takes none from the rest', () => {
  const details = Array.from({ length: 2000 }, (_, at) => `Member ${at}`)
  const command = `postern member remove ${details.map((_, at) => `m${at}@example.com`).join(' ')}`
  const asking = { question: 'Remove 2000 members?', details, command, onYes: () => {}, onNo: () => {} }
  const shown = painted(<Confirm {...asking} width={78} height={17} />, 80)
  expect(shown.split('\n').length).toBeLessThanOrEqual(17)
  expect(shown).toContain('Member 4')
  expect(shown).toMatch(/and 1,99\d more/)
  expect(shown).toMatch(/postern member remove m0@[^…]*…[^…]*y yes/)
})

test.each([38, 78])('the help is read whole in a window of %i columns', (width) => {
  const label = 'a long thing that a key does to all that is marked'
  const disabledReason = 'your role (reader) lacks member:delete'
  const sections = [{ title: 'This screen', lines: [{ keys: 'D', label, disabledReason }] }]
  const ends = { isTyping: false, setTyping: () => {}, onClose: () => {} }
  const shown = painted(<Help {...{ sections, width, ...ends }} height={20} />, width + 2)
  expect(shown.replaceAll(/[│\s]+/g, ' ')).toContain(`D ${label} (not now: ${disabledReason})`)
})

test.each([3, 4, 6, 9, 20])('a secret is shown whole in %i lines', (height) => {
  const secret = `pst_${'0123456789'.repeat(4)}abcdefgh`
  const props = { sentence: 'Created the key deploy as admin', width: 38, height, onCopy: () => {}, onClose: () => {} }
  const shown = painted(<SecretView {...props} secret={secret} />, 40)
  expect(shown.replaceAll(/[^\w]/g, '')).toContain(secret)
  expect(shown.split('\n').length).toBeLessThanOrEqual(height)
})

test.each([4, 5, 7, 9, 13])('in %i lines no dialog paints a line over another', (height) => {
  const long = 'A sentence that needs more than one line in a window of forty columns, and then some more of them.'
  const common = { width: 38, height, onClose: () => {}, onLong: () => {} }
  const asking = { question: long, details: [long, long], command: long, onYes: () => {}, onNo: () => {} }
  for (const dialog of [
    <ErrorView key="1" {...common} sentence={long} hint={long} details={[['Code', long]]} offer={undefined} />,
    <ErrorView
      key="2"
      {...common}
      sentence={long}
      hint={long}
      details={[]}
      offer={{ label: long, onTake: () => {} }}
    />,
    <SecretView key="3" {...common} sentence={long} secret={long} onCopy={() => {}} />,
    <TakeoverView key="4" {...common} title={long} sentence={long} advice={long} />,
    <Confirm key="5" {...common} {...asking} />,
    <Confirm key="6" {...common} {...asking} word="a-word-of-an-organization" />,
    <Confirm key="7" {...common} {...asking} word={'x'.repeat(100)} />,
  ]) {
    const { frame, faults } = paintedWithFaults(dialog, 40)
    expect([faults, frame.split('\n').length <= height]).toEqual([[], true])
  }
})

test('a row of one cell takes the whole line, and cuts no column of the others', () => {
  const headers = ['Account', 'Server', ''].map((title) => ({
    title,
    isReadFirst: title === 'Account',
    isHidden: false,
  }))
  const rows = [
    { id: '1', cells: ['ada@example.com', 'http://localhost:4100', 'current, session over'] },
    { id: '2', cells: ['+ Verify or change an address with a link'] },
  ]
  const pointer = { select: () => {}, move: () => {} }
  const list = painted(<Table headers={headers} rows={rows} start={0} line={0} width={80} pointer={pointer} />, 80)
  expect(list).toMatch(/ada@example.com +http:\/\/localhost:4100 +current, session over/)
  expect(list).toContain('+ Verify or change an address with a link')
})
