import type { Schema } from './json-schema.ts'
import type { TestService } from './service.ts'

interface Answer {
  readonly description: string
  readonly content?: Readonly<Record<string, { readonly schema: Schema }>>
}
interface Operation {
  readonly operationId: string
  readonly summary: string
  readonly tags: readonly string[]
  readonly security: readonly object[]
  readonly parameters?: readonly {
    readonly name: string
    readonly in: string
    readonly description?: string
    readonly schema: Schema
  }[]
  readonly requestBody?: {
    readonly required: boolean
    readonly content: { readonly 'application/json': { schema: Schema } }
  }
  readonly responses: Readonly<Record<string, Answer>>
}
export interface OpenApiDocument {
  readonly openapi: string
  readonly info: { readonly title: string; readonly version: string }
  readonly servers: readonly { readonly url: string }[]
  readonly tags: readonly { readonly name: string; readonly description?: string }[]
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>
    readonly securitySchemes: Readonly<Record<string, object>>
  }
}

/** The document as the service sends it. */
export const readOpenApi = async (service: TestService): Promise<OpenApiDocument> =>
  (await service.visitor().get('/openapi.json')).body

/** The document with what each `$ref` names in its place. */
export function withoutReferences(document: OpenApiDocument): OpenApiDocument {
  const inline = (value: unknown): OpenApiDocument =>
    JSON.parse(JSON.stringify(value), (_, part) => {
      if (typeof part?.$ref !== 'string') return part
      const { $ref, ...beside } = part
      return { ...inline(document.components.schemas[$ref.replace('#/components/schemas/', '')] as Schema), ...beside }
    })
  return inline(document)
}
