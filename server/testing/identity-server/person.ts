/** Somebody as a provider knows them, whatever its words for it are. */
export interface Person {
  /** Digits, since some providers number their people. */
  readonly id: string
  readonly name: string
  /** Null: none, or not told. */
  readonly email: string | null
  /** What the provider says of the address, where it says anything. */
  readonly isVerified: boolean
  readonly picture: string | null
}

let people = 0

/** Another person each time. */
export function somebody(known: Partial<Person> = {}): Person {
  people += 1
  const id = String(4_200_000 + people)
  const email = `person-${id}@example.com`
  return {
    id,
    name: `Person ${id}`,
    email,
    isVerified: true,
    picture: `https://pictures.example.com/${id}.png`,
    ...known,
  }
}
