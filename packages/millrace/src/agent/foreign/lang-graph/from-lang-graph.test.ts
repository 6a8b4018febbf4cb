import { AIMessage, type BaseMessage, ToolMessage } from '@langchain/core/messages'
import {
  END,
  interrupt,
  MemorySaver,
  MessagesAnnotation,
  START,
  StateGraph,
} from '@langchain/langgraph'
import { describe, expect, test } from 'vitest'
import { eventsIn, openServer, said } from '../../../../test/support/foreign/foreign-server.ts'
import { createMemoryStore } from '../../../stores/memory/index.ts'
import { fromLangGraph, type LangGraphAgentOptions } from './from-lang-graph.ts'

type State = typeof MessagesAnnotation.State
type Node = (state: State) => { messages: BaseMessage[] } | Promise<{ messages: BaseMessage[] }>

/** A graph whose only node is a function. */
const graphOf = (node: Node) =>
  new StateGraph(MessagesAnnotation)
    .addNode('node', node)
    .addEdge(START, 'node')
    .addEdge('node', END)
    .compile({ checkpointer: new MemorySaver() })

function openGraph(
  graph: LangGraphAgentOptions['graph'],
  options: Partial<LangGraphAgentOptions> = {},
) {
  const store = createMemoryStore()
  const agent = fromLangGraph({ name: 'graph', graph, ...options })
  return { store, ...openServer(agent, store) }
}

const call = (id: string, name: string, args: Record<string, unknown> = {}) => ({ id, name, args })
const callsOf = (message?: BaseMessage) => (message as AIMessage | undefined)?.tool_calls ?? []

describe('a graph of LangGraph', () => {
  test('may interrupt with a question, whose answer resumes it', async () => {
    const graph = graphOf(() => {
      const grain = interrupt<object, string>({ question: 'Rye or oats?' })
      return { messages: [new AIMessage(`${grain} it is.`)] }
    })
    const { ask, view, answer, handler } = openGraph(graph)
    await ask('go')
    const { pending, stop_reason: reason } = await view()
    expect(reason).toBe('awaiting_frontend_tools')
    expect(pending).toMatchObject([
      { name: 'langgraph_interrupt', input: { question: 'Rye or oats?' } },
    ])
    expect(said(await answer(pending?.[0]?.tool_use_id ?? '', 'Rye'))).toContain('Rye it is.')
    expect(await view()).toMatchObject({ status: 'ended', stop_reason: 'end_turn' })
    await handler.close()
  })

  test('may have several interrupts at once', async () => {
    const asks =
      (name: string): Node =>
      () => ({ messages: [new AIMessage(`${name}: ${interrupt<string, string>(name)}. `)] })
    const graph = new StateGraph(MessagesAnnotation)
      .addNode('left', asks('left'))
      .addNode('right', asks('right'))
      .addEdge(START, 'left')
      .addEdge(START, 'right')
      .compile({ checkpointer: new MemorySaver() })
    const { ask, view, answer, handler } = openGraph(graph)
    await ask('go')
    const { pending = [] } = await view()
    expect(pending.map(({ input }) => input)).toEqual([{ value: 'left' }, { value: 'right' }])
    const [left, right] = pending.map(({ tool_use_id: id }) => id)
    await answer(right ?? '', 'oats')
    const text = said(await answer(left ?? '', 'rye'))
    expect(text).toContain('left: rye.')
    expect(text).toContain('right: oats.')
    await handler.close()
  })

  test('may ask for a review of its calls, as the human-in-the-loop middleware does', async () => {
    const resumed: unknown[] = []
    const review: Node = ({ messages }) => {
      const actions = callsOf(messages.at(-1)).map(({ name, args }) => ({ name, args }))
      const { decisions } = interrupt<object, { decisions: { type: string; message?: string }[] }>({
        actionRequests: actions,
        reviewConfigs: [],
      })
      resumed.push(...decisions)
      const results = callsOf(messages.at(-1)).map(
        ({ id = '' }, at) =>
          new ToolMessage({ tool_call_id: id, content: decisions[at]?.message ?? 'paid' }),
      )
      return { messages: results }
    }
    const graph = new StateGraph(MessagesAnnotation)
      .addNode('model', () => ({
        messages: [
          new AIMessage({
            content: '',
            tool_calls: [1, 2, 3].map((euros) => call(`c${euros}`, 'pay', { euros })),
          }),
        ],
      }))
      .addNode('review', review)
      .addEdge(START, 'model')
      .addEdge('model', 'review')
      .compile({ checkpointer: new MemorySaver() })
    const { ask, view, decide, store, handler } = openGraph(graph)
    await ask('go')
    expect((await view()).pending_approvals).toHaveLength(3)
    await decide('c1', { decision: 'approve' })
    await decide('c2', { decision: 'approve', input: { euros: 9 } })
    await decide('c3', { decision: 'refuse', reason: 'too dear' })
    expect(resumed).toEqual([
      { type: 'approve' },
      { type: 'edit', editedAction: { name: 'pay', args: { euros: 9 } } },
      { type: 'reject', message: 'too dear' },
    ])
    const results = (await eventsIn(store)).flatMap((event) =>
      event.type === 'tool_result' ? [[event.callId, event.text, event.isError]] : [],
    )
    expect(results).toEqual([
      ['c1', 'paid', false],
      ['c2', 'paid', false],
      ['c3', 'too dear', true],
    ])
    await handler.close()
  })

  test('may end at the call of a browser tool, and needs no checkpointer for it', async () => {
    const graph = new StateGraph(MessagesAnnotation)
      .addNode('model', ({ messages }) => {
        const last = messages.at(-1)
        const content = last?.type === 'tool' ? `It costs ${last.text}.` : ''
        const made = content === '' ? [call('ask', 'ask_price')] : []
        return { messages: [new AIMessage({ content, tool_calls: made })] }
      })
      .addEdge(START, 'model')
      .compile()
    const { ask, answer, view, handler } = openGraph(graph, { frontendTools: ['ask_price'] })
    await ask('go')
    expect(await view()).toMatchObject({ stop_reason: 'awaiting_frontend_tools' })
    expect(said(await answer('ask', '3 euros'))).toContain('It costs 3 euros.')
    await handler.close()
  })

  test('shows messages of its subgraphs once, and none that it was given', async () => {
    const inner = new StateGraph(MessagesAnnotation)
      .addNode('first', ({ messages }) => ({
        messages: [...messages, new AIMessage({ content: '', tool_calls: [call('c', 'look')] })],
      }))
      .addNode('second', () => ({
        messages: [new ToolMessage({ tool_call_id: 'c', content: 'seen' }), new AIMessage('Done.')],
      }))
      .addEdge(START, 'first')
      .addEdge('first', 'second')
      .compile()
    const graph = new StateGraph(MessagesAnnotation)
      .addNode('inner', inner)
      .addEdge(START, 'inner')
      .compile()
    const { ask, view, handler } = openGraph(graph)
    expect(said(await ask('go'))).toBe('seenDone.')
    expect(said(await ask('again'))).toBe('seenDone.')
    expect((await view('/conversations')).conversations).toHaveLength(2)
    await handler.close()
  })

  test('ends with `max_steps` at its recursion limit, and gets configuration of the run', async () => {
    const prompts: unknown[] = []
    const graph = new StateGraph(MessagesAnnotation)
      .addNode('again', (_, { configurable }) => {
        prompts.push(configurable?.['prompt'])
        return { messages: [new AIMessage('Again. ')] }
      })
      .addEdge(START, 'again')
      .addEdge('again', 'again')
      .compile()
    const { ask, view, handler } = openGraph(graph, {
      config: ({ prompt }) => ({ recursionLimit: 3, configurable: { prompt } }),
    })
    expect(said(await ask('go'))).toContain('Again. Again. ')
    expect(await view()).toMatchObject({ status: 'ended', stop_reason: 'max_steps' })
    expect(prompts).toContain('go')
    await handler.close()
  })

  test('that throws fails its run with a general message', async () => {
    const graph = graphOf(() => {
      throw new Error('a secret')
    })
    const { ask, view, handler } = openGraph(() => graph)
    const shown = await ask('go')
    expect(shown).toContain('The agent failed unexpectedly')
    expect(shown).not.toContain('a secret')
    expect(await view()).toMatchObject({ status: 'ended', stop_reason: 'error' })
    await handler.close()
  })

  test('cannot be repeated after a crash', () => {
    const options = { name: 'graph', graph: graphOf(() => ({ messages: [] })), recovery: 'rerun' }
    expect(() => fromLangGraph(options as LangGraphAgentOptions)).toThrow(
      'must be one of "continue", "end"',
    )
  })
})
