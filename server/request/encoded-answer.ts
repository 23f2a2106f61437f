/**
 * An answer that the output schema of its call encoded before, so that it is not encoded once more. `value` is its form
 * on the wire.
 */
export class EncodedAnswer<Wire> {
  readonly value: Wire

  constructor(value: Wire) {
    this.value = value
  }
}
