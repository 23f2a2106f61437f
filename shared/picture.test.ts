import { describe, expect, it } from 'vitest'
import { isPicture } from './text-rules.ts'

/** A GIF of one pixel. */
const dot = 'data:image/gif;base64,R0lGODlhAQABAAAAACw='

describe('a picture', () => {
  it.each([
    '',
    'https://example.com/a.png',
    'http://localhost:3000/a.png?size=2#x',
    'https://münchen.example/ü.png',
    `https://example.com/${'x'.repeat(2028)}`,
    dot,
    'data:image/png;base64,iVBORw0KGgo=',
    'data:image/jpeg;base64,AAAA',
    'data:image/webp;base64,AAAA',
  ])('may be %j', (text) => expect(isPicture(text)).toBe(true))

  it.each([
    'javascript:alert(1)',
    'JavaScript:alert(1)',
    ' javascript:alert(1)',
    'java\nscript:alert(1)',
    'vbscript:msgbox(1)',
    'data:text/html,<script>alert(1)</script>',
    'data:text/html;base64,PHNjcmlwdD4=',
    'data:image/svg+xml;base64,PHN2Zz4=',
    'data:image/svg+xml,<svg onload=alert(1)>',
    'data:image/png,<script>',
    'data:image/png;base64,A"onerror=alert(1)',
    'data:image/png;charset=x;base64,AAAA',
    'data:,x',
    'blob:https://example.com/1',
    'file:///etc/passwd',
    'ftp://example.com/a.png',
    'filesystem:https://example.com/a.png',
    'view-source:https://example.com',
    'https:',
    'https://',
    'https:///a.png',
    'https://?x',
    'https:example.com',
    'https:\\\\example.com',
    'https://example.com/a.png" onerror="alert(1)',
    'https://example.com/<script>',
    'https://example.com/a\njavascript:alert(1)',
    'https://example.com/a b',
    '//example.com/a.png',
    '/a.png',
    'a.png',
    'x',
    `https://example.com/${'x'.repeat(2029)}`,
  ])('is never %j', (text) => expect(isPicture(text)).toBe(false))
})
