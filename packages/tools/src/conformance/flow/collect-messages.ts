import { createJoiner, decodeEnvelope, type Envelope, traitsOf } from 'millrace'

/** Creates a collector that joins buffered blocks; incremental ones stay in chunks. */
export function createCollector(onMessage: (message: Envelope) => void): (line: string) => void {
  const joiner = createJoiner()
  return (line) => {
    const message = decodeEnvelope(line)
    const isShownAtOnce = traitsOf(message.type)?.emission === 'incremental'
    const whole = isShownAtOnce ? message : joiner.push(message)
    if (whole !== undefined) onMessage(whole)
  }
}
