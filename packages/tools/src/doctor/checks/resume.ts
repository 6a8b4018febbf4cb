import type { Check } from '../examination.ts'
import { ok, problem } from '../finding.ts'
import type { Probe } from '../probe.ts'

/** Whether a stream that was cut goes on where it was. */
export const resume: Check = {
  title: 'Resume',
  run: async ({ resumed }) => {
    const { byHeader, byAddress } = await resumed()
    const first = ({ frames }: Probe): number => frames[0]?.id ?? 0
    const [header, address] = [first(byHeader), first(byAddress)]
    if (header === 3 && address === 3)
      return ok('Cut after frame 2, it went on with 3, by Last-Event-ID and by ?cursor=')
    const seen = (id: number): string => (id === 0 ? 'with nothing' : `with frame ${id}`)
    return problem(
      `Cut after frame 2, it went on ${seen(header)} by Last-Event-ID, ${seen(address)} by ?cursor=; 3 was due`,
      address === 3
        ? 'An EventSource and other clients that resume by the header see everything twice; Millrace’s own client resumes by the address and is spared.'
        : 'Clients that come back see things twice or not at all: something answers in the place of the server, or drops the query.',
      'requestHeaders',
    )
  },
}
