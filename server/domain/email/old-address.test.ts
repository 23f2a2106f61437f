import { beforeAll, expect, it } from 'vitest'
import { createApp } from '../../app.ts'
import { sendFormTo } from '../../pages/testing/forms.ts'
import { adminOf } from '../../testing/admins.ts'
import { untilWaiting } from '../../testing/locks.ts'
import { canSignIn, linkTo, mailsTo, open, userOf, verifiedPerson } from '../../testing/mailed.ts'
import { testPassword } from '../../testing/service.ts'
import { useTestService } from '../../testing/use-service.ts'
import { createVisitor, type Reply, type Visitor } from '../../testing/visitor.ts'

// Whoever has lost a mailbox leaves it behind: no link in it leads to their account once they have another address.

const service = useTestService()
beforeAll(async () => {
  // A mail that is stored waits, with all that its statement has locked, while a test has this lock.
  await service.deps.sql.unsafe(`
    create function wait_for_test() returns trigger language plpgsql as $$
    begin perform pg_advisory_xact_lock_shared(1); return new; end $$;
    create trigger outbox_waits before insert on outbox for each row execute function wait_for_test();
  `)
})

const another = 'another horse battery staple'
const fresh = () => `new-${crypto.randomUUID()}@example.com`
type Person = Visitor & { email: string }

const changes: readonly [
  string,
  () => Promise<Person>,
  (person: Person, to: string) => Promise<() => Promise<Reply>>,
][] = [
  [
    'at once',
    () => service.person(),
    (person, newEmail) => Promise.resolve(() => person.post('/change-email', { newEmail })),
  ],
  [
    'by a link',
    () => verifiedPerson(service),
    async (person, newEmail) => {
      await person.post('/change-email', { newEmail })
      const { url } = await linkTo(service, person.email, 'change-email')
      return () => open(service, person, url)
    },
  ],
]

it.each(changes)(
  'a reset that is asked for while the address changes %s is none of the new address',
  async (_how, make, prepare) => {
    const [person, to] = [await make(), fresh()]
    const change = await prepare(person, to)
    const asked: Promise<Reply>[] = []
    await service.deps.sql.begin(async (tx) => {
      await tx`select pg_advisory_xact_lock(1)`
      asked.push(service.visitor().post('/forget-password', { email: person.email }))
      await untilWaiting(service)
      asked.push(change())
      await untilWaiting(service, 2)
    })
    expect((await Promise.all(asked)).map(({ status }) => status < 400)).toEqual([true, true])
    expect((await userOf(service, to)).email).toBe(to)
    for (const { token } of await mailsTo(service, person.email, 'reset-password')) {
      const reset = await service.visitor().post('/reset-password', { token, newPassword: another })
      expect([reset.status, reset.body.code]).toEqual([400, 'INVALID_TOKEN'])
    }
    expect(await canSignIn(service, to)).toBe(true)
  },
)

it('a link that is mailed to an address while an administrator corrects it hands nothing over', async () => {
  const strict = await service.sibling({ REQUIRE_EMAIL_VERIFICATION: 'on' })
  const [{ email }, admin, to] = [await service.person(), await adminOf(service), fresh()]
  const { id: userId } = await userOf(service, email)
  const { passwords } = strict.deps
  const digest: typeof passwords.digest = async (...args) => {
    await admin.post('/admin/update-user', { userId, data: { email: to } })
    return passwords.digest(...args)
  }
  const app = createApp({ ...strict.deps, passwords: { ...passwords, digest } })
  const signIn = await createVisitor(app, strict.deps.config).post('/sign-in/email', { email, password: testPassword })
  expect([signIn.status, (await userOf(service, to)).id]).toEqual([403, userId])
  const { token } = await linkTo(service, email, 'verify-email')
  const form = { token, action: 'take-over', newPassword: another }
  expect((await sendFormTo('/page/verify-email', strict.visitor(), form)).status).toBe(400)
  expect(await canSignIn(service, to)).toBe(true)
})
