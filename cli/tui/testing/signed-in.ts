import { FakeService } from './fake-service.ts'

/** Ada with her own session and as many others. */
export function signedIn(others = 1): FakeService {
  const service = new FakeService()
  service.signIn('ada@example.com')
  for (let count = 1; count <= others; count += 1) service.addSession('ada@example.com', `Firefox ${count}`)
  return service
}

export const browsers = (service: FakeService) => service.sessions.map(({ userAgent }) => userAgent)
