import { expect, test } from 'vitest'
import { type LoggedRequest, withRequest } from './request-log.ts'

const request = (id: string, account: string): Omit<LoggedRequest, 'times'> => ({
  id,
  account,
  server: 'http://localhost:4100/api/auth',
  method: 'GET',
  path: '/list-sessions',
  status: 200,
  body: undefined,
  milliseconds: 1,
  requestId: id,
  at: new Date(0),
})

test('what one person asks again is one entry, and what another one asks is another', () => {
  const log = ['ada', 'ada', 'bob', 'ada'].reduce<readonly LoggedRequest[]>(
    (before, account, index) => withRequest(before, request(String(index), account)),
    [],
  )
  expect(log.map(({ account, times }) => [account, times])).toEqual([
    ['ada', 1],
    ['bob', 1],
    ['ada', 2],
  ])
})
