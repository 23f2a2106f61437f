import { describe, expect, it } from 'vitest'
import { hasDisplay, launchCommandFor } from './browser.ts'

const page = 'https://id.example.com/api/auth/page/device?user_code=BCDF-GHJK&local=a_b-1'

describe('the program that shows a page', () => {
  it.each<[NodeJS.Platform, Record<string, string>, readonly string[]]>([
    ['linux', {}, ['xdg-open', page]],
    ['darwin', {}, ['open', page]],
    ['win32', {}, ['rundll32', 'url.dll,FileProtocolHandler', page]],
    ['linux', { BROWSER: 'firefox --new-tab:chromium' }, ['firefox', '--new-tab', page]],
    ['linux', { BROWSER: 'w3m %s -v' }, ['w3m', page, '-v']],
    ['win32', { BROWSER: 'C:\\b.exe;other' }, ['C:\\b.exe', page]],
  ])('on %s with %j', (platform, env, vector) => {
    expect(launchCommandFor(platform, env, page)).toEqual(vector)
  })

  it.each(['file:///etc/passwd', 'javascript:alert(1)', '--version', '$(x)', 'https://a b/', 'ftp://a/', ''])(
    'is never started with %j',
    (text) => {
      expect(() => launchCommandFor('linux', {}, text)).toThrow('sent an address that cannot be opened')
    },
  )

  it('is never started with an address that is too long for one of a page', () => {
    const text = `${page}${'&'.repeat(8192)}`
    expect(() => launchCommandFor('linux', {}, text)).toThrow('sent an address that cannot be opened')
  })
})

describe('a screen', () => {
  it.each<[NodeJS.Platform, Record<string, string>, boolean]>([
    ['linux', {}, false],
    ['linux', { DISPLAY: ':0' }, true],
    ['linux', { WAYLAND_DISPLAY: 'wayland-0' }, true],
    ['linux', { DISPLAY: 'localhost:10.0', SSH_CONNECTION: '192.0.2.1 1 192.0.2.2 22' }, false],
    ['darwin', {}, true],
    ['darwin', { SSH_TTY: '/dev/ttys001' }, false],
    ['win32', {}, true],
  ])('on %s with %j: %s', (platform, env, isThere) => {
    expect(hasDisplay(platform, env)).toBe(isThere)
  })
})
