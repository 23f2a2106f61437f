import { expect, it } from 'vitest'
import { parseConfig } from '../config.ts'

it.each(['KEY_ISSUERS', 'INVITATION_URL', 'TRUSTED_ORIGINS', 'BASE_URL'])('shows no password of %s', (key) => {
  const parse = () => parseConfig({ [key]: 'https://ann:hunter2@id.example.com' })
  expect(parse).toThrow(`${key} is (hidden): expected`)
  expect(parse).not.toThrow('hunter2')
})

it('refuses a user in an address of KEY_ISSUERS', () => {
  const given = { KEY_ISSUERS: 'https://git.example.com,https://ann@git.example.com' }
  expect(() => parseConfig(given)).toThrow('expected https addresses without user and password')
})
