import { expect, test } from 'vitest'
import { slugOf } from './create.ts'

test.each([
  ['Acme Inc.', 'acme-inc'],
  ['  Größe & Söhne  ', 'grosse-sohne'],
  ['Ｗｉｄｅ ﬁsh', 'wide-fish'],
  ['İstanbul', 'istanbul'],
  ['a'.repeat(70), 'a'.repeat(64)],
  [`${'a'.repeat(63)} b`, 'a'.repeat(63)],
  ['会社', ''],
])('for %j the slug %j is proposed', (name, slug) => expect(slugOf(name)).toBe(slug))
