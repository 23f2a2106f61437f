import { expect, it } from 'vitest'
import { lastMail } from '../testing/mails.ts'
import { found } from '../testing/organizations.ts'
import { useTestService } from '../testing/use-service.ts'

const service = useTestService({ BASE_URL: 'https://id.example.com' })

it('leads from the mail to a page that says how to accept, and nothing of who invites whom', async () => {
  const acme = await found(service)
  const id = await acme.invite('guest@example.com')
  const { text } = await lastMail(service)
  const [address = ''] = /https:\/\/\S*page\/invitation\S*/.exec(text) ?? []
  const page = await service.visitor().get(address)
  expect(page.status).toBe(200)
  expect(page.text).toContain(`postern invitation accept ${id} --url https://id.example.com`)
  expect(page.text).not.toMatch(/Acme|guest@|<form/)
})

it.each(['<script>', '$(rm -rf ~)', 'a b', 'x'.repeat(65)])('repeats nothing that is no id: %s', async (id) => {
  const { status, text } = await service.visitor().get(`/page/invitation?id=${encodeURIComponent(id)}`)
  expect([status, text.includes('invitation accept ID --url')]).toEqual([200, true])
  expect(text).not.toMatch(/<script|rm -rf|a b|xxxx/)
})

it('tells the pages of mailed links their service too', async () => {
  const { text } = await service.visitor().get('/page/verified')
  expect(text).toContain('postern sign-in --url https://id.example.com')
})
