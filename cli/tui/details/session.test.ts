import { expect, test } from 'vitest'
import { sessionSheet } from '../../flows/session/sessions.ts'
import { deviceColumns } from '../text/session-text.ts'
import { sessionDetail } from './session.ts'

const at = new Date()
const session = {
  id: 's1',
  token: 's1',
  userId: 'u1',
  ipAddress: null,
  userAgent: 'Firefox',
  label: 'laptop',
  createdAt: at,
  updatedAt: at,
  expiresAt: at,
  activeOrganizationId: null,
  impersonatedBy: 'u2',
  addressProven: true,
}

test('what is told of a session has the names that the command line gives it', () => {
  const names = sessionSheet.map(({ header }) => header)
  const told = sessionDetail(session, 's1').facts.map(({ label }) => label)
  expect(names).toEqual(expect.arrayContaining(told))
  const [device, ...others] = deviceColumns.map(({ title }) => title)
  expect(names).toEqual(expect.arrayContaining(others))
  expect(device).toBe('Device')
})
