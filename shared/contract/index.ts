import * as account from './account.ts'
import * as email from './email.ts'
import * as password from './password.ts'
import * as service from './service.ts'
import * as session from './session.ts'

/** Every call of the service, by noun. */
export const contract = { account, email, password, session, service }
export type Contract = typeof contract
