import { OpenAIChatCompletionsModel } from '@openai/agents'
import { OpenAI } from 'openai'

interface Answer {
  readonly text?: string
  readonly calls?: readonly {
    readonly id: string
    readonly name: string
    readonly arguments: string
  }[]
}

/** A model of the OpenAI Agents SDK that gives these answers, with the requests that it has received. */
export function openModel(answers: readonly Answer[]) {
  const requests: object[] = []
  const fetch = async (_: unknown, init?: RequestInit): Promise<Response> => {
    const request = JSON.parse(String(init?.body)) as { readonly stream?: boolean }
    const { text = null, calls } = answers[requests.push(request) - 1] ?? {}
    const made = calls?.map(({ id, ...called }, index) => ({
      index,
      id,
      type: 'function',
      function: called,
    }))
    const delta = { role: 'assistant', content: text, tool_calls: made }
    const reason = made === undefined ? 'stop' : 'tool_calls'
    if (request.stream !== true)
      return Response.json({
        id: 'r',
        choices: [{ index: 0, message: delta, finish_reason: reason }],
      })
    const chunks = [
      { id: 'r', choices: [{ index: 0, delta }] },
      { id: 'r', choices: [{ index: 0, delta: {}, finish_reason: reason }] },
    ]
    const frames = [...chunks.map((chunk) => JSON.stringify(chunk)), '[DONE]']
    return new Response(frames.map((frame) => `data: ${frame}\n\n`).join(''), {
      headers: { 'content-type': 'text/event-stream' },
    })
  }
  const client = new OpenAI({
    apiKey: 'any',
    baseURL: 'http://model.test/v1',
    fetch,
    maxRetries: 0,
  })
  return { model: new OpenAIChatCompletionsModel(client, 'scripted'), requests }
}
