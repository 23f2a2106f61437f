import { expect, test } from 'vitest'
import { testPassword } from '../../../server/testing/service.ts'
import { startOwnService } from '../../testing/own-service.ts'
import { heldPauses } from '../testing/held-pauses.ts'
import { ada } from '../testing/people.ts'
import type { RenderOptions } from '../testing/render.tsx'
import { useScreensOf } from '../testing/screens.ts'

const screens = useScreensOf(() =>
  startOwnService(
    {},
    {
      extensions: {
        userFields: {
          company: { kind: 'text', required: true },
          seats: { kind: 'number' },
          newsletter: { kind: 'flag' },
          born: { kind: 'date' },
          plan: { kind: ['free', 'pro'], default: 'free', input: 'admin' },
          score: { kind: 'number', input: false, default: 7 },
        },
        organizationFields: {
          size: { kind: ['small', 'big'], required: true },
          audited: { kind: 'flag', input: 'admin' },
        },
      },
    },
  ),
)

const asksForFields = () => screens.own.asked.filter((call) => call.includes('/field/list'))
const fieldsOf = async (email: string) =>
  (await screens.sql`select fields from users where email = ${email}`)[0]?.['fields']
/** A machine that somebody with the required field is signed in on. */
async function person() {
  const machine = screens.own.machine()
  const signUp = ['sign-up', '--email', ada, '--name', 'Ada', '--password-file', '-']
  await machine([...signUp, '--field', 'company=Acme', 'seats=3'], { stdin: testPassword })
  return machine
}

test('a sign-up asks for the own fields of the service, with their kinds, and checks each when it is left', async () => {
  const ui = screens.open(screens.own.machine(), { size: { columns: 80, rows: 24 } })
  await ui.shows('Nobody is signed in')
  expect(asksForFields()).toEqual([])
  ui.press('j', 'enter')
  const empty = await ui.shows('company (required)')
  expect(empty).toMatch(/seats +like 12\.5/)
  expect(empty).toMatch(/newsletter +\(x\) none +\( \) yes +\( \) no/)
  expect(empty).toMatch(/born +like 2026-01-31/)
  expect(empty).not.toMatch(/plan|score/)
  expect(empty.replaceAll(/\s+/g, ' ')).toContain('--field company=VALUE')
  ui.press('ada@example.com\r', 'Ada\r', `${testPassword}\r`, `${testPassword}\r`, 'Acme, Inc.\r', 'many\r')
  const refused = await ui.shows('seats: expected a number')
  expect(refused).toContain('❯ newsletter')
  // Texts and examples begin in one column.
  const columns = ['Acme, Inc.', 'like 2026'].map((text) => refused.split(text)[0]?.split('\n').at(-1)?.length)
  expect(columns[0]).toBe(columns[1])
  ui.press('right', '\r', '2001-02-31\r')
  await ui.shows('born: expected a date')
  ui.press('\u0015', '3', 'tab', 'tab', '\u0015', '2001-02-03')
  const filled = (await ui.shows('born=2001-02-03')).replaceAll(/\s+/g, ' ')
  expect(filled).toContain(
    "--field 'company=Acme, Inc.' --field seats=3 --field newsletter=true --field born=2001-02-03",
  )
  ui.press('\r')
  await ui.shows('Signed up and in as ada@example.com')
  expect(await fieldsOf(ada)).toMatchObject({
    company: 'Acme, Inc.',
    seats: 3,
    newsletter: true,
    born: '2001-02-03T00:00:00.000Z',
  })
  expect(asksForFields()).toHaveLength(1)
})

test('the required one is needed before anything is sent, and a draft keeps the others', async () => {
  const ui = screens.open(screens.own.machine())
  await ui.shows('Nobody is signed in')
  ui.press('j', 'enter')
  await ui.shows('company (required)')
  ui.press('ada@example.com\r', 'Ada\r', `${testPassword}\r`, `${testPassword}\r`, '\r', '5\r', '\r', '\r')
  expect(await ui.shows('company is needed')).toContain('❯ company')
  ui.press('Acme', 'esc')
  await ui.shows('Your draft is kept')
  ui.press('enter')
  expect(await ui.shows('company (required)')).toMatch(/company \(required\) +Acme[^]*seats +5/)
  expect(screens.writes()).toEqual([])
})

test('a profile shows the values, changes only those that were changed, and takes it back', async () => {
  const ui = screens.open(await person(), { screen: 'profile', size: { columns: 100, rows: 30 } })
  await ui.shows('Member since')
  ui.press(':', 'edit profile', 'enter')
  expect(await ui.shows('seats')).toMatch(/company +Acme[^]*seats +3/)
  ui.press('tab', 'tab', 'tab', '\u0015', '\r')
  await ui.shows('seats')
  ui.press('\u0015', '4', 'tab', 'tab', '\r')
  await ui.shows('company is needed')
  ui.press('Beta', '\r', '\r', '\r', '\r')
  await ui.shows('Updated ada@example.com')
  expect(await fieldsOf(ada)).toMatchObject({ company: 'Beta', seats: 4 })
  ui.press('u')
  await ui.shows('Undone')
  expect(await fieldsOf(ada)).toMatchObject({ company: 'Acme', seats: 3 })
})

test('administrators are offered theirs, of users and of organizations', async () => {
  const machine = await person()
  await screens.sql`update users set roles = '{admin}' where email = ${ada}`
  const ui = screens.open(machine, { screen: 'admin', size: { columns: 100, rows: 30 } })
  await ui.shows('1 user')
  ui.press(':', 'create a user', 'enter')
  expect(await ui.shows('company (required)')).toMatch(/plan +\(x\) free +\( \) pro/)
  ui.press('esc', '5')
  await ui.shows('You are in no organization yet')
  ui.press('c')
  expect(await ui.shows('size (required)')).toMatch(/audited +\(x\) none/)
})

test('an organization that needs a field can be created and edited', async () => {
  const ui = screens.open(await person(), { size: { columns: 80, rows: 24 } })
  await ui.shows('Ada')
  ui.press('5')
  await ui.shows('You are in no organization yet')
  ui.press('c')
  const form = await ui.shows('size (required)')
  expect(form).toMatch(/size \(required\) +\( \) small +\( \) big/)
  expect(form).not.toContain('audited')
  ui.press('Acme\r', '\r', '\r', '\r', '\r')
  await ui.shows('size is needed')
  ui.press('right', 'right')
  expect((await ui.shows('size=big')).replaceAll(/\s+/g, ' ')).toContain('--field size=big')
  ui.press('\r')
  await ui.shows('Created Acme')
  expect(await screens.sql`select fields from organizations`).toEqual([{ fields: { size: 'big' } }])
})

/** A sign-up form that is sent while the answer about its fields is kept back. */
async function sentTooEarly(options: (pauses: ReturnType<typeof heldPauses>) => RenderOptions = () => ({})) {
  const pauses = heldPauses()
  const ui = screens.open(screens.own.machine(), { pause: pauses.pause, ...options(pauses) })
  await ui.shows('Nobody is signed in')
  const held = screens.own.hold('GET /field/list')
  ui.press('j', 'enter')
  await ui.shows('Create an account')
  ui.press('ada@example.com\r', 'Ada\r', `${testPassword}\r`, `${testPassword}\r`)
  await ui.shows('Asking the service')
  await expect.poll(pauses.begun).toBe(1)
  expect(screens.writes()).toEqual([])
  return { ui, held, pauses }
}

test('the form is sent only when it is known which fields there are', async () => {
  const { ui, held } = await sentTooEarly()
  held.release()
  await ui.shows('company is needed')
  expect(screens.writes()).toEqual([])
})

test('a form whose fields do not come can be left at once, keeps its draft, and is not sent afterwards', async () => {
  const { ui, held, pauses } = await sentTooEarly()
  ui.press('esc')
  await ui.shows('Your draft is kept')
  pauses.endAll()
  held.release()
  ui.press('enter')
  expect(await ui.shows('company (required)')).toContain('ada@example.com')
  ui.press('tab', 'tab', `${testPassword}\r`, `${testPassword}\r`, 'Acme\r', '\r', '\r', '\r')
  await ui.shows('Signed up and in as ada@example.com')
  expect(screens.writes()).toEqual(['POST /sign-up/email'])
})

test('a form that is left just before the moment is over is not sent', async () => {
  const { ui, held } = await sentTooEarly(({ endAll }) => ({
    onFrame: (frame) => void (frame.includes('Your draft is kept') && endAll()),
  }))
  ui.press('esc')
  await ui.shows('Your draft is kept')
  held.release()
  await expect.poll(ui.store.activity.isBusy).toBe(false)
  expect(screens.writes()).toEqual([])
})

test('a form whose fields do not come is sent without them after a moment', async () => {
  const { ui, held, pauses } = await sentTooEarly()
  pauses.endAll()
  await ui.shows('Missing, expected')
  expect(screens.writes()).toEqual(['POST /sign-up/email'])
  held.release()
})

test('at an older service, which does not tell its fields, the forms are as they were', async () => {
  const ui = screens.open(screens.own.machine())
  await ui.shows('Nobody is signed in')
  screens.own.replace('GET /field/list', Response.json({ code: 'NOT_FOUND' }, { status: 404 }))
  ui.press('j', 'enter')
  await ui.shows('Create an account')
  await expect.poll(asksForFields).toHaveLength(1)
  ui.press('ada@example.com\r', 'Ada\r', `${testPassword}\r`, `${testPassword}\r`)
  await ui.shows('Missing, expected')
  expect(screens.writes()).toEqual(['POST /sign-up/email'])
})
