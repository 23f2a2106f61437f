import bcrypt from 'bcrypt'
import { expect, it } from 'vitest'
import { importTarget } from '../../testing/exports.ts'
import { testPassword } from '../../testing/service.ts'

const target = importTarget()

const user = (id: string, name = id) => ({ type: 'user', id, email: `${id}@example.com`, name })

it('whoever signs in between two batches is stored as it was given', async () => {
  const account = {
    type: 'account',
    userId: 'ann',
    providerId: 'credential',
    password: await bcrypt.hash(testPassword, 6),
  }
  const answers: number[] = []
  const onStored = async () => {
    const { status } = await target.service
      .visitor()
      .post('/sign-in/email', { email: 'ann@example.com', password: testPassword })
    answers.push(status)
  }
  const { summary } = await target.load([user('ann'), account, user('ben'), user('cy')], { batch: 2, onStored })
  expect(answers).toEqual([401, 200])
  expect(summary).toMatchObject({ compared: 4, different: [] })
})

it.each([null, 1, 3])('of an id that comes twice, the later one is compared: batch %s', async (batch) => {
  const { summary } = await target.load([user('ann', 'Ann'), user('ben'), user('ann', 'Anna')], {
    isUpdating: true,
    batch,
  })
  expect(summary.different).toEqual([])
  expect((await target.sql`select name from users where id = 'ann'`)[0]).toEqual({ name: 'Anna' })
})

it('a field that the database stored otherwise is told', async () => {
  await target.sql`create function pg_temp.other() returns trigger language plpgsql as $$ begin new.name = 'other'; return new; end $$`
  await target.sql`create trigger other before insert on users for each row execute function pg_temp.other()`
  try {
    const { summary } = await target.load([user('ann'), user('ben'), user('cy')], { batch: 1 })
    expect(summary.different).toEqual(['user ann: name', 'user ben: name', 'user cy: name'])
  } finally {
    await target.sql`drop trigger other on users`
  }
})
