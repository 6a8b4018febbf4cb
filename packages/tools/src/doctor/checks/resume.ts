import type { Check } from '../examination.ts'
import { ok, problem } from '../finding.ts'
import type { Probe } from '../probe.ts'

/** Checks whether a cut stream resumes at the same position. */
export const resume: Check = {
  title: 'Resume',
  run: async ({ resumed }) => {
    const { byHeader, byAddress } = await resumed()
    const first = ({ frames }: Probe): number => frames[0]?.id ?? 0
    const [header, address] = [first(byHeader), first(byAddress)]
    if (header === 3 && address === 3)
      return ok('Cut after frame 2, it resumed with 3, by Last-Event-ID and by ?cursor=')
    const seen = (id: number): string => (id === 0 ? 'with nothing' : `with frame ${id}`)
    return problem(
      `Cut after frame 2, it resumed ${seen(header)} by Last-Event-ID, ${seen(address)} by ?cursor=; 3 was expected`,
      address === 3
        ? 'An EventSource and other clients that resume by the header receive everything twice; Millrace’s own client resumes by the URL and is not affected.'
        : 'Clients that reconnect receive frames twice or not at all: a proxy responds instead of the server, or removes the query.',
      'requestHeaders',
    )
  },
}
