import { expect, test } from 'vitest'
import { SizeContext } from '../hooks/use-size.ts'
import { painted } from '../testing/painted.tsx'
import { Header } from './header.tsx'

test.each([40, 60, 80, 100])('in %i columns the top line says that it is read-only, and as whom', (columns) => {
  const organization = 'An organization with a very long name of many words'
  const about = { server: 'http://localhost:4711/api/auth', account: 'ada@example.com', organization }
  const line = (impersonating?: string) =>
    painted(
      <SizeContext.Provider value={{ columns, rows: 20 }}>
        <Header {...about} impersonating={impersonating} isReadOnly link="online" isBusy={false} />
      </SizeContext.Provider>,
      columns - 2,
    )
  expect(line()).toMatch(
    columns > 40 ? /^postern .*ada@example\.com .*read-only .*online$/ : /^ada@.*com .*read-only .*online$/,
  )
  expect(line('bob@example.com')).toMatch(/^IMPERSONATING .*com .*read-only/)
})
