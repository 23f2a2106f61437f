import { expect, test } from 'vitest'
import type { FormField } from '../../flows/flow.ts'
import { chooseOption, readOptions } from './field-options.ts'

const several: FormField = {
  name: 'role',
  label: 'Roles',
  kind: 'list',
  isSecret: false,
  isOptional: false,
  options: [
    { id: 'owner', label: 'owner', disabledReason: 'only owners make owners' },
    { id: 'admin', label: 'admin' },
    { id: 'member', label: 'member' },
  ],
}
const one: FormField = {
  name: 'team',
  label: 'Team',
  kind: 'choice',
  isSecret: false,
  isOptional: false,
  options: [
    { id: '', label: 'none' },
    { id: 't1', label: 'Design, and more' },
  ],
}

test('of several, a key adds and takes out; of one, it chooses another', () => {
  expect(chooseOption(several, 'member', 'admin')).toBe('member,admin')
  expect(chooseOption(several, 'member,admin', 'member')).toBe('admin')
  expect(chooseOption(several, 'admin', 'admin')).toBe('')
  expect(chooseOption(one, '', 't1')).toBe('t1')
})

test('typed names become ids, each once', () => {
  expect(readOptions(several, ' admin , member,admin')).toEqual({ value: 'admin,member' })
  expect(readOptions(several, ' ')).toEqual({ value: '' })
  expect(readOptions(one, 'Design, and more')).toEqual({ value: 't1' })
  expect(readOptions(one, 'none')).toEqual({ value: '' })
})

test('a name that is not offered, or refused, says so', () => {
  expect(readOptions(several, 'admin, king')).toEqual({ problem: 'Roles: there is no king' })
  expect(readOptions(several, 'owner')).toEqual({ problem: 'owner: only owners make owners' })
})
