import { describe, expect, test } from 'vitest'
import type { FullUser } from '../../../shared/entities.ts'
import { actionOf } from '../action.ts'
import { signIn } from '../auth/sign-in.ts'
import { signInWithToken } from '../auth/sign-in-token.ts'
import { signOut } from '../auth/sign-out.ts'
import { signUp } from '../auth/sign-up.ts'
import { changeEmail, mailVerification, sendVerification, verifyEmail } from '../email/addresses.ts'
import type { Form } from '../flow.ts'
import { formOf, withoutSecrets } from '../form.ts'
import { changePassword, forgotPassword, resetPassword } from '../password/passwords.ts'
import { revokeAll, revokeOthers, revokeSession } from '../session/revoke.ts'
import { confirmDeletion, deleteAccount } from './deletion.ts'
import { editProfile } from './me.ts'

const user: FullUser = {
  id: 'u1',
  email: 'ada@example.com',
  name: 'Ada',
  image: '/old.png',
  emailVerified: false,
  language: null,
  createdAt: new Date(0),
  updatedAt: new Date(0),
  role: null,
  banned: null,
  banReason: null,
  banExpires: null,
  fields: {},
}
const me = { user }
const sessionCalled = (id: string) => ({ id, label: null, userAgent: null, createdAt: user.createdAt })
const server = 'http://localhost:4100'
const filled = (form: Form, texts: Record<string, string>) => form.problems({ ...form.initial, ...texts })
const emptyOf = <S>(form: (subject: S) => Form, subject: S) => form(subject).command(form(subject).initial)

describe('what a form refuses before it sends anything', () => {
  test('is the password of now as the new one, and one that is not the same twice', () => {
    const form = formOf(changePassword, { subjects: [me] })
    const both = (newPassword: string, again: string) =>
      filled(form, { currentPassword: 'correct horse', newPassword, 'newPassword again': again })
    expect(both('battery staple', 'battery staple')).toEqual({})
    expect(both('correct horse', 'correct horse')).toEqual({ newPassword: 'The new password is the current one' })
    expect(both('battery staple', 'batery')).toEqual({ 'newPassword again': 'This does not match the line above' })
    expect(filled(form, {})).toEqual({
      currentPassword: 'Current password is needed',
      newPassword: 'New password is needed',
    })
  })

  test('is a picture that is no address, unless it was there before', () => {
    const form = formOf(editProfile, { subjects: [me] })
    for (const image of ['/old.png', '', 'https://example.com/a.png']) expect(filled(form, { image })).toEqual({})
    expect(filled(form, { image: '/new.png' })).toEqual({
      image: expect.stringMatching(/^Image URL has to be an http or https address/),
    })
    expect(filled(form, { name: ' ' })).toEqual({ name: 'Name is needed' })
  })

  test('is what looks like no address and no server', () => {
    const form = formOf(signIn, { subjects: [undefined] })
    expect(filled(form, { email: 'ada', password: ' ', server: 'localhost' })).toEqual({
      email: 'An e-mail address looks like ada@example.com',
      server: 'A server looks like https://auth.example.com',
    })
  })

  test('is a deletion without the address, whatever else is said', () => {
    const form = formOf(deleteAccount, { subjects: [me] })
    expect(form.fields.map(({ name, label }) => [name, label])).toEqual([
      ['confirm', 'Your address'],
      ['password', 'Password'],
    ])
    const problem = { confirm: 'This is not the e-mail address of your account' }
    for (const confirm of ['', 'Ada@example.com', 'ada']) expect(filled(form, { confirm })).toEqual(problem)
    expect(filled(form, { confirm: ' ada@example.com ' })).toEqual({})
    const byLink = formOf(confirmDeletion, { subjects: [me] })
    expect(filled(byLink, { link: 'x' })).toEqual(problem)
  })
})

test('a form that makes an account asks the password twice', () => {
  const names = formOf(signUp, { subjects: [undefined] }).fields.map(({ name }) => name)
  expect(names).toEqual(['email', 'name', 'password', 'password again', 'server'])
})

test('a form hands on what may be seen, no secret', () => {
  const form = formOf(signIn, { subjects: [undefined] })
  const texts = { ...form.initial, email: 'ada@example.com', password: 'correct horse', server }
  expect(withoutSecrets(form, texts)).toEqual({ email: 'ada@example.com', server })
})

test('what is said before a deletion names what goes along, or the rule where that is not known', () => {
  const solo = { id: 'o', name: 'Solo', slug: 'solo', logo: null, metadata: null, createdAt: new Date(0) }
  const noteFor = (organizations?: readonly object[]) =>
    formOf(deleteAccount, { subjects: [{ user, organizations } as typeof me] }).note
  expect(noteFor()).toContain('Organizations with no other member are deleted with it')
  expect(noteFor([])).toMatch(/^Deletes ada@example.com for good, with its sessions. Type the address/)
  expect(noteFor([{ ...solo, soleMember: true }])).toContain('Nobody else is in Solo (solo)')
})

test.each([
  [emptyOf((one) => formOf(signIn, { subjects: [one] }), undefined), 'postern sign-in'],
  [emptyOf((one) => formOf(signInWithToken, { subjects: [one] }), undefined), 'postern sign-in --token-file FILE'],
  [emptyOf((one) => formOf(signUp, { subjects: [one] }), undefined), 'postern sign-up --email EMAIL --name NAME'],
  [emptyOf((one) => formOf(forgotPassword, { subjects: [one] }), undefined), 'postern account password forgot'],
  [emptyOf((one) => formOf(resetPassword, { subjects: [one] }), {}), 'postern account password reset LINK'],
  [emptyOf((one) => formOf(verifyEmail, { subjects: [one] }), undefined), 'postern account email verify LINK'],
  [
    emptyOf((one) => formOf(mailVerification, { subjects: [one] }), undefined),
    'postern account email verify --send --email EMAIL',
  ],
  [emptyOf((one) => formOf(changeEmail, { subjects: [one] }), me), 'postern account email set NEW'],
  [emptyOf((one) => formOf(changePassword, { subjects: [one] }), me), 'postern account password set'],
  [emptyOf((one) => formOf(editProfile, { subjects: [one] }), me), 'postern account edit'],
  [
    emptyOf((one) => formOf(deleteAccount, { subjects: [one] }), me),
    'postern account delete --confirm ada@example.com',
  ],
  [
    emptyOf((one) => formOf(confirmDeletion, { subjects: [one] }), me),
    'postern account delete --token-file FILE --confirm ada@example.com',
  ],
  [actionOf(sendVerification, [me]).command, 'postern account email verify --send'],
  [actionOf(signOut, [{ origin: server, email: user.email }]).command, 'postern sign-out --account ada@example.com'],
  [actionOf(revokeSession, [sessionCalled('s1'), sessionCalled('s2')]).command, 'postern session revoke s1 s2'],
  [actionOf(revokeOthers, [me]).command, 'postern session revoke --others'],
  [actionOf(revokeAll, [me]).command, 'postern session revoke --all'],
])('the command for the same is %s', (command, expected) => {
  expect(command).toBe(expected)
})

test('all sessions end by a typed word, none by a key alone', () => {
  const { question, word } = actionOf(revokeAll, [me])
  expect([question, word]).toEqual([
    'Revoke every session, including this one? Your own keys end too.',
    'ada@example.com',
  ])
  expect(actionOf(revokeAll, [undefined]).word).toBe('all')
  const said = formOf(changePassword, { subjects: [me] }).command({ revokeOthers: 'yes' })
  expect(said).toBe('postern account password set --revoke-others')
})

test('nothing is mailed to an address that is verified', () => {
  expect(actionOf(sendVerification, [me]).disabledReason).toBeUndefined()
  const verified = { user: { ...user, emailVerified: true } }
  expect(actionOf(sendVerification, [verified]).disabledReason).toBe('the address is verified already')
})
