import * as z from 'zod'
import * as audit from './audit.ts'
import { type ClientApi, successFor, wireFor } from './client-api.ts'
import { type Call, type CallGroup, inputFailureOf } from './contract/call.ts'
import * as entities from './entities.ts'
import { catalogue, type FailureName } from './errors.ts'
import { redirectFields, type WireBody } from './failure.ts'
import { maxProblems } from './input-problem.ts'
import * as keys from './machine-key.ts'
import { type DescribeOwnFields, markOwnFields, withOwnFields } from './openapi-own-fields.ts'
import { tagTexts } from './openapi-tags.ts'
import { type FieldText, fieldTexts } from './openapi-texts.ts'
import * as organizations from './organization.ts'
import { labelHeader } from './text-rules.ts'
import * as tokens from './token.ts'

export interface OpenApiOptions {
  readonly version: string
  /** Public address of the API, including the base path. */
  readonly server: string
  /** Name of the session cookie. */
  readonly cookie: string
  /** In whose terms refusals are described. */
  readonly api: ClientApi
  /** The JSON schema of the service's own fields. */
  readonly ownFields: DescribeOwnFields
}

const everywhere: readonly FailureName[] = [
  'INVALID_ORIGIN',
  'INVALID_REDIRECT_TARGET',
  'PAYLOAD_TOO_LARGE',
  'UNSUPPORTED_MEDIA_TYPE',
  'TOO_MANY_REQUESTS',
  'INTERNAL_SERVER_ERROR',
  'SERVICE_UNAVAILABLE',
]

/** Builds the OpenAPI 3.1 document of a contract, from the same records that the server serves and the client calls. */
export function openApi(
  groups: Readonly<Record<string, CallGroup>>,
  { version, server, cookie, api, ownFields }: OpenApiOptions,
) {
  const { paths, schemas } = nameSchemas(pathsOf(groups, api), ownFields)
  return {
    openapi: '3.1.0',
    info: { title: 'Postern', version, description: 'Accounts, sign-in, sessions and organizations.', license },
    servers: [{ url: server }],
    tags: Object.keys(groups).map((name) => ({ name, description: tagTexts[name] })),
    paths,
    components: {
      schemas,
      securitySchemes: {
        cookie: { type: 'apiKey', in: 'cookie', name: cookie, description: 'The session cookie, which sign-in sets' },
        bearer: { type: 'http', scheme: 'bearer', description: 'The token of a session, or the secret of a key' },
        serviceKey: { type: 'http', scheme: 'bearer', description: 'The key of a trusted server' },
      },
    },
  }
}

const license = { name: 'MIT', identifier: 'MIT' }

/** Moves the schemas that have a name from each place that mentions them to the components, and describes fields. */
function nameSchemas(
  paths: ReturnType<typeof pathsOf>,
  ownFields: DescribeOwnFields,
): {
  readonly paths: typeof paths
  readonly schemas: Readonly<Record<string, object>>
} {
  const schemas: Record<string, object> = {}
  const moved: typeof paths = JSON.parse(JSON.stringify(paths), (key, value) => {
    if (key === '$defs') return void Object.assign(schemas, value)
    if (key === '$ref') return value.replace('#/$defs/', '#/components/schemas/')
    return key === 'properties' ? describeFields(value) : withOwnFields(value, ownFields)
  })
  return { paths: moved, schemas }
}

const describeFields = (fields: Readonly<Record<string, object>>) =>
  Object.fromEntries(Object.entries(fields).map(([name, schema]) => [name, { ...describeField(name), ...schema }]))

function describeField(name: string) {
  const [description, example]: FieldText | [] = fieldTexts[name] ?? []
  return { description, ...(example === undefined ? {} : { examples: [example] }) }
}

type Operation = ReturnType<typeof operationOf>

/** Path → method → operation, since two calls can share a path. */
function pathsOf(
  groups: Readonly<Record<string, CallGroup>>,
  api: ClientApi,
): Record<string, Record<string, Operation>> {
  const paths: Record<string, Record<string, Operation>> = {}
  for (const [tag, calls] of Object.entries(groups))
    for (const [name, call] of Object.entries(calls))
      paths[call.path] = { ...paths[call.path], [call.method.toLowerCase()]: operationOf(api, tag, name, call) }
  return paths
}

const operationOf = (api: ClientApi, tag: string, name: string, call: Call) => ({
  operationId: name,
  tags: [tag],
  summary: call.summary,
  ...(call.scope === undefined ? {} : { description: `A key needs the scope \`${call.scope}\`.` }),
  security: security[call.readsSession ? 'visitor' : call.access],
  ...inputOf(call),
  ...(call.scope === undefined ? {} : { 'x-key-scope': call.scope }),
  responses: { ...successOf(call), ...failuresOf(call, api), ...(call.isHooked ? { '4XX': hookRefusal } : {}) },
})

const session = [{ cookie: [] }, { bearer: [] }]
const security = { anyone: [], visitor: [{}, ...session], session, server: [{ serviceKey: [] }] }

/** The entities, which keep their names. */
const named = z.registry<{ readonly id: string }>()
for (const [id, schema] of Object.entries({ ...entities, ...organizations, ...keys, ...tokens, ...audit }))
  if (schema instanceof z.ZodType && /^[A-Z]/.test(id)) named.add(schema, { id })

const schemaOf = (schema: z.ZodType) => {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { ...wire, metadata: named, override: shorten })
  return rest
}
const wire = { io: 'input', unrepresentable: 'any' } as const

type Override = NonNullable<z.core.ToJSONSchemaParams['override']>

/** The format of a moment says all that its long pattern says. Own fields are marked. */
const shorten: Override = ({ zodSchema, jsonSchema }) => {
  markOwnFields(zodSchema, jsonSchema)
  if (zodSchema instanceof z.ZodPrefault) delete jsonSchema.default
  if (jsonSchema.format === 'date-time') delete jsonSchema.pattern
}

function inputOf(call: Call) {
  const { parameters = [], ...rest } = readInputOf(call)
  const all = call.takesLabel ? [...parameters, labelParameter] : parameters
  return { ...(all.length > 0 || call.method === 'GET' ? { parameters: all } : {}), ...rest }
}

const labelParameter = {
  name: labelHeader,
  in: 'header',
  required: false,
  description: 'The name of the device, percent-encoded, which becomes the label of the session',
  schema: { type: 'string' },
}

function readInputOf(call: Call) {
  const schema = schemaOf(call.input)
  const required = new Set(schema.required)
  if (call.method === 'POST') return bodyOf(call, schema)
  const parameters = Object.entries(schema.properties ?? {}).map(([name, property]) => ({
    name,
    in: call.path.includes(`{${name}}`) ? 'path' : 'query',
    required: required.has(name),
    ...describeParameter(name),
    schema: counts[name] ?? property,
  }))
  return { parameters }
}

/** A query is text for us, but whoever writes a call wants to give a number. */
const counts: Readonly<Record<string, object>> = {
  limit: { type: 'integer', minimum: 1 },
  offset: { type: 'integer', minimum: 0 },
}

function describeParameter(name: string) {
  const [description, example]: FieldText | [] = fieldTexts[name] ?? []
  return { description, ...(example === undefined ? {} : { example }) }
}

const form = 'application/x-www-form-urlencoded'

/** Path parameters are left out of the body. */
function bodyOf({ path, body }: Call, { properties = {}, required = [], ...rest }: ReturnType<typeof schemaOf>) {
  const named = Object.keys(properties).filter((name) => path.includes(`{${name}}`))
  const needed = required.filter((name) => !named.includes(name))
  const own = Object.fromEntries(Object.entries(properties).filter(([name]) => !named.includes(name)))
  const schema = { ...rest, properties: own, ...(needed.length > 0 ? { required: needed } : {}) }
  const content = {
    ...(body === 'form' ? {} : { 'application/json': { schema } }),
    ...(body === 'form' || body === 'any' ? { [form]: { schema } } : {}),
  }
  const parameters = named.map((name) => ({
    name,
    in: 'path',
    required: true,
    ...describeParameter(name),
    schema: properties[name],
  }))
  return { ...(named.length > 0 ? { parameters } : {}), requestBody: { required: needed.length > 0, content } }
}

/** A call without an output only redirects. */
function successOf(call: Call) {
  const lead = { description: 'Redirects to the callbackURL' }
  if (call.output instanceof z.ZodNever) return call.method === 'GET' ? { 302: lead } : { 303: lead }
  const content = { [call.answer === 'html' ? 'text/html' : 'application/json']: { schema: schemaOf(call.output) } }
  const isPaged = 'offset' in Object(Object(call.input).shape)
  return { 200: { description: 'Done', ...(isPaged ? { headers: { Link: link } } : {}), content } }
}

const link = { description: 'The next page of the list: rel="next" (RFC 8288)', schema: { type: 'string' } }

/** One response per status, with its possible wire codes. Any code, if a function of the config file can choose it. */
function failuresOf(call: Call, api: ClientApi) {
  const own: readonly FailureName[] = call.access === 'session' ? [...call.failures, 'UNAUTHORIZED'] : call.failures
  const names = [...new Set<FailureName>([...own, inputFailureOf(call), ...everywhere, ...ofKeys(call)])]
  const refused = names.filter((name) => !successFor(api, call.path, name))
  const byStatus = groupBy(refused, (name) => wireFor(api, call.path, { failure: name }).status)
  return Object.fromEntries(
    [...byStatus].map(([status, group]) => [
      status,
      failureOf(group, (name) => bodiesOf(name, call, api), call.isHooked && status < 500),
    ]),
  )
}

/** Failures for API keys. A call that looks up no session does not look up a key either. */
const ofKeys = ({ access, scope }: Call): FailureName[] =>
  access === 'anyone' || access === 'server' ? [] : [scope === undefined ? 'KEY_FORBIDDEN' : 'KEY_SCOPE_MISSING']

function groupBy(names: readonly FailureName[], statusOf: (name: FailureName) => number): Map<number, FailureName[]> {
  const groups = new Map<number, FailureName[]>()
  for (const name of names) groups.set(statusOf(name), [...(groups.get(statusOf(name)) ?? []), name])
  return groups
}

function failureOf(names: readonly FailureName[], bodiesOfName: (name: FailureName) => WireBody[], isOpen = false) {
  const bodies = names.flatMap(bodiesOfName)
  const description = names.map((name) => catalogue[name].message).join(' · ')
  if (bodies.length === 0) return { description }
  return {
    description,
    content: { 'application/json': { schema: schemaOfErrors(bodies, isOpen || names.some(isNaming)) } },
  }
}

/** The schema of failures in our own form, in OAuth's, or both. */
function schemaOfErrors(bodies: readonly WireBody[], isOpen: boolean) {
  const own = bodies.flatMap((body) => ('code' in body ? [body] : []))
  const codes = own.map(({ code }) => code)
  const oauth = bodies.flatMap((body) => ('error' in body ? [body.error] : []))
  if (oauth.length === 0) return errorSchema(isOpen ? 'any' : codes, codes.includes('VALIDATION_ERROR'))
  return own.length === 0 ? oauthSchema(oauth) : { anyOf: [errorSchema(codes), oauthSchema(oauth)] }
}

const oauthSchema = (codes: readonly string[]) => ({
  type: 'object',
  properties: { error: codeSchema(codes), error_description: { type: 'string' } },
  required: ['error', 'error_description'],
})

/** Whether the catalogue gives the code, whatever the message names. */
const hasOwnCode = (name: FailureName): boolean => 'code' in catalogue[name]

/** Whether the message, and with it the code, names what the caller sent. */
const isNaming = (name: FailureName): boolean =>
  name !== 'INVALID_REDIRECT_TARGET' && !hasOwnCode(name) && catalogue[name].message.includes('{field}')

/** One message can name several fields, each with its own code. */
const bodiesOf = (name: FailureName, { path }: Call, api: ClientApi) =>
  (catalogue[name].message.includes('{field}') && !hasOwnCode(name) ? redirectFields : [undefined])
    .map((field) => wireFor(api, path, { failure: name, field }).body)
    .filter((body) => body !== null)

const errorSchema = (codes: readonly string[] | 'any', hasDetails = false) => ({
  type: 'object',
  properties: { code: codeSchema(codes), message: { type: 'string' }, ...(hasDetails ? { details } : {}) },
  required: ['code', 'message'],
})

const details = {
  type: 'array',
  description: 'With VALIDATION_ERROR: each invalid field, and what was expected',
  maxItems: maxProblems,
  items: {
    type: 'object',
    properties: {
      path: {
        type: 'string',
        description: 'Field names separated by dots, as in data.slug; empty for the input as a whole',
      },
      message: { type: 'string' },
    },
    required: ['path', 'message'],
  },
}

const codeSchema = (codes: readonly string[] | 'any') => ({
  type: 'string',
  description: 'What went wrong, for programs',
  ...(codes === 'any' ? {} : { enum: [...new Set(codes)] }),
})

const hookRefusal = {
  description: 'Refused by a function of the config file, with its own code and message',
  content: { 'application/json': { schema: errorSchema('any') } },
}
