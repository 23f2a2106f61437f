import * as z from 'zod'
import { roleEntries, rolesIn, textOfRoles } from '../role-text.ts'

const names = z.array(z.string()).readonly()

/** Of an answer: comma-separated text on the wire, a list on both sides of it. */
export const roleNames = z.codec(z.string(), names, { decode: rolesIn, encode: textOfRoles })

/**
 * Of a call's input: one role, several comma-separated, or a list of either. An empty entry stays one, so that it is
 * refused as an unknown role is.
 */
export const roleInput = z.codec(z.union([z.string(), z.array(z.string())]), names, {
  decode: (given) => [...new Set([given].flat().flatMap(roleEntries))],
  encode: (roles) => [...roles],
})
