import { afterEach, beforeEach, describe, expect, type MockInstance, test, vi } from 'vitest'
import type { Screen } from './testing/render.tsx'
import { useScreens } from './testing/screens.ts'

const screens = useScreens()
const paste = (text: string) => `\u001b[200~${text}\u001b[201~`

/** Opens the sign-in form at its first field. */
async function inForm(): Promise<Screen> {
  const ui = screens.open(screens.own.machine())
  await ui.shows('Nobody is signed in')
  ui.press('enter')
  await ui.shows('❯ Email')
  return ui
}

/** The current value of the form's first field. */
const typedIn = (ui: Screen): string | undefined => /--email (.*\S)/.exec(ui.frame())?.[1]

describe('the keys of a line editor', () => {
  test.each([
    ['\u0015', 'carol', 'carol'],
    ['\u0017', 'eve', "'ada eve'"],
    ['\u0001', 'l', "'lada bob'"],
    ['\u0001\u000b', 'x', 'x'],
    ['\u0001\u0005', 'by', "'ada bobby'"],
    ['\u001b[H', 'l', "'lada bob'"],
    ['\u001b[D\u001b[D\u000b', 'en', "'ada ben'"],
    ['\u001b[D\u007f', 'u', "'ada bub'"],
    ['\u001bb', 'x', "'ada xbob'"],
    ['\u001bb\u001bb\u001bf', 'x', "'adax bob'"],
    ['\u0001\u001bd', 'eve', "'eve bob'"],
  ])('after %j what is typed stands where it should', async (keys, more, text) => {
    const ui = await inForm()
    ui.press('ada bob', keys, more)
    await ui.settled()
    expect(typedIn(ui)).toBe(text)
  })

  test.each(['home', 'end', 'left', 'right', 'backspace', 'ctrl-u', 'alt-b'])(
    'are no words: %j can be typed and pasted',
    async (word) => {
      const ui = await inForm()
      ui.press('ada bob', '\u001b[H', word.slice(0, 1), word.slice(1), paste(word))
      await ui.settled()
      expect(typedIn(ui)).toBe(`'${word}${word}ada bob'`)
    },
  )

  test('take a character of several code points for one, and are no letters anywhere else', async () => {
    const ui = await inForm()
    ui.press('e\u0301👩‍👩‍👧', 'backspace', 'x', '\u001b[D\u001b[D', 'y')
    await ui.settled()
    expect(typedIn(ui)).toContain('ye\u0301x')
    ui.press('esc', '\u0001\u0005\u000b\u0015\u0017')
    await ui.settled()
    expect(ui.frame()).toContain('Nobody is signed in')
  })
})

describe('a long text', () => {
  let warnings: MockInstance
  beforeEach(() => {
    warnings = vi.spyOn(console, 'error')
  })
  afterEach(() => warnings.mockRestore())

  test.each([
    ['typed', (text: string) => text, 200],
    ['pasted', paste, 5000],
  ])('that is %s comes whole, and React has nothing to warn of', async (_, bytes, length) => {
    const ui = await inForm()
    const text = Array.from({ length }, (__, index) => index % 10).join('')
    ui.press(bytes(text), '\u0001', '>')
    await ui.settled()
    expect(ui.frame()).toContain(`Email    >${text.slice(0, 70)}`)
    ui.press('\u0005', '<')
    await ui.settled()
    expect(ui.frame()).toMatch(new RegExp(`Email    …\\d+${text.slice(-70)}<`))
    expect(warnings.mock.calls).toEqual([])
  })
  test('that is longer than a field is cut there, which stands below until the text changes', async () => {
    const ui = await inForm()
    ui.press(paste('a'.repeat(20_000)))
    await ui.settled()
    expect(ui.frame()).toMatch(/Email +…a+ *\n +Cut at 16,384 characters *\n/)
    ui.press('\u0001', 'backspace')
    await ui.settled()
    expect(ui.frame()).toContain('Cut at')
    ui.press('\u0005', 'backspace')
    await ui.settled()
    expect(ui.frame()).not.toContain('Cut at')
  })
})
