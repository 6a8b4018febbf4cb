import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { addCost, type Cost, noCost, type Usage } from '../../events/index.ts'
import { costOf } from './cost-of.ts'
import { prices } from './prices.ts'

const anyModel = fc.constantFrom(...Object.keys(prices))
const count = fc.integer({ min: 0, max: 400_000 })
const anyUsage = fc.record({
  input_tokens: count,
  output_tokens: count,
  cache_creation_input_tokens: count,
  cache_read_input_tokens: count,
})
const sumOf = (costs: readonly (Cost | null)[]) => costs.reduce(addCost, noCost)
const use = (usage: Partial<Usage>): Usage => ({ input_tokens: 0, output_tokens: 0, ...usage })

describe('[COST-4] tokens are priced where they are counted', () => {
  test('does not subtract cached tokens from the others', () => {
    const usage = use({ input_tokens: 1000, cache_read_input_tokens: 50_000 })
    expect(costOf('claude-sonnet-4-5', usage)).toEqual({
      ...noCost,
      modelId: 'claude-sonnet-4-5',
      input: 0.003,
      cacheRead: 0.015,
      total: 0.018,
    })
  })

  test('prices cache writes by their lifetime; the default is the short one', () => {
    const written = use({ cache_creation_input_tokens: 1_000_000 })
    const split = (short: number, hour: number): Usage => ({
      ...written,
      cache_creation: { ephemeral_5m_input_tokens: short, ephemeral_1h_input_tokens: hour },
    })
    const cacheWrite = (usage: Usage) => costOf('claude-opus-5-5', usage)?.cacheWrite
    expect(cacheWrite(written)).toBe(5)
    expect(cacheWrite(split(400_000, 600_000))).toBeCloseTo(0.4 * 5 + 0.6 * 8, 9)
    expect(cacheWrite(split(0, 600_000))).toBeCloseTo(0.4 * 5 + 0.6 * 8, 9)
    expect(cacheWrite({ ...written, cache_creation: null })).toBe(5)
  })

  test('treats invalid counts as 0', () => {
    const odd = fc.constantFrom(-5, Number.NaN, -Infinity, null, 'many', '7', true, [], {})
    const fields = ['input_tokens', 'output_tokens', 'cache_read_input_tokens', 'cache_creation']
    fc.assert(
      fc.property(odd, fc.constantFrom(...fields), (value, field) => {
        const usage = { ...noTokens, [field]: value } as Usage
        expect(costOf('claude-opus-5-5', usage)?.total).toBe(0)
      }),
    )
    expect(costOf('claude-opus-5-5', use({ input_tokens: Infinity }))?.total).toBeLessThan(Infinity)
  })
  const noTokens = use({})
})

describe('a cost', () => {
  test('has non-negative parts that add up to the total', () => {
    fc.assert(
      fc.property(anyModel, anyUsage, (model, usage) => {
        const { input, output, cacheRead, cacheWrite, tools, total } = costOf(model, usage)!
        const parts = [input, output, cacheRead, cacheWrite, tools]
        expect(Math.min(...parts)).toBeGreaterThanOrEqual(0)
        expect(total).toBeCloseTo(
          parts.reduce((sum, part) => sum + part),
          9,
        )
      }),
    )
  })

  test('grows with each count', () => {
    const field = fc.constantFrom(
      ...(Object.keys(use({})) as 'input_tokens'[]),
      'cache_read_input_tokens',
      'cache_creation_input_tokens',
    )
    fc.assert(
      fc.property(anyModel, anyUsage, field, count, (model, usage, name, more) => {
        const larger = { ...usage, [name]: ((usage as Usage)[name] as number) + more }
        const [less, greater] = [costOf(model, usage)!, costOf(model, larger)!]
        expect(greater.total).toBeGreaterThanOrEqual(less.total - 1e-12)
      }),
    )
  })

  test('[COST-2] of an unknown part makes every sum unknown', () => {
    fc.assert(
      fc.property(fc.array(anyUsage), fc.nat(), anyUsage, (usages, place, usage) => {
        const costs: (Cost | null)[] = usages.map((one) => costOf('claude-opus-5-5', one))
        costs.splice(place % (usages.length + 1), 0, costOf('other-model-1', usage))
        expect(sumOf(costs)).toBeNull()
      }),
    )
  })

  test('without long prompts, is additive over requests', () => {
    fc.assert(
      fc.property(anyUsage, anyUsage, (one, two) => {
        const both = Object.fromEntries(
          Object.entries(one).map(([name, value]) => [name, value + two[name as keyof typeof two]]),
        ) as typeof one
        const model = 'claude-opus-5-5'
        const together = costOf(model, both)!.total
        expect(sumOf([costOf(model, one), costOf(model, two)])?.total).toBeCloseTo(together, 9)
      }),
    )
  })
})

describe('[COST-5] long prompts', () => {
  const model = 'claude-sonnet-4-5'
  const { longContext, ...short } = prices[model]

  test('compares all input tokens with the threshold', () => {
    const at = use({ input_tokens: 1, cache_read_input_tokens: 100_000, output_tokens: 1_000_000 })
    const below = { ...at, cache_creation_input_tokens: 99_999 }
    const above = { ...at, cache_creation_input_tokens: 100_000 }
    expect(costOf(model, below)).toMatchObject({ output: 15, longContext: false })
    expect(costOf(model, above)).toMatchObject({ output: 22.5, longContext: true })
    expect(costOf(model, above)?.cacheRead).toBeCloseTo(0.06, 9)
    expect(costOf(model, above)?.cacheWrite).toBeCloseTo(0.75, 9)
  })

  test('does not affect other requests', () => {
    const small = fc.integer({ min: 0, max: 50_000 })
    const shortUsage = fc.record({
      input_tokens: small,
      output_tokens: count,
      cache_creation_input_tokens: small,
      cache_read_input_tokens: small,
    })
    const own = { [model]: short }
    fc.assert(
      fc.property(fc.array(shortUsage), anyUsage, (usages, usage) => {
        const long = { ...usage, input_tokens: longContext.aboveTokens + 1 + usage.input_tokens }
        const costs = usages.map((one) => costOf(model, one))
        const plain = usages.map((one) => costOf(model, one, { prices: own }))
        expect(costs).toEqual(plain)
        const total = sumOf([...costs, costOf(model, long)])!
        expect(total.longContext).toBe(true)
        const rest = total.total - costOf(model, long)!.total
        expect(rest).toBeCloseTo(sumOf(plain)!.total, 6)
      }),
    )
  })

  test('does not add up the prompts of a server tool loop', () => {
    const step = { type: 'message', input_tokens: 150_000, output_tokens: 10 }
    const usage = use({ input_tokens: 300_000, output_tokens: 20, iterations: [step, step] })
    expect(costOf(model, usage)).toMatchObject({ input: 0.9, longContext: false })
    const long = { ...step, input_tokens: 250_000 }
    const longer = use({ input_tokens: 400_000, iterations: [step, long] })
    expect(costOf(model, longer)).toMatchObject({ input: 2.4, longContext: true })
    expect(
      costOf(model, use({ input_tokens: 400_000, iterations: [{ type: 'message' }] })),
    ).toMatchObject({
      longContext: true,
    })
  })
})

describe('[COST-6] other billed models', () => {
  test('prices compactions and advisors by their model', () => {
    const iterations = [
      { type: 'compaction', input_tokens: 1_000_000, output_tokens: 0 },
      { type: 'message', input_tokens: 1_000_000, output_tokens: 0 },
      { type: 'advisor_message', model: 'claude-opus-4-8', input_tokens: 1_000_000 },
    ]
    const cost = costOf('claude-sonnet-5-5', use({ input_tokens: 1_000_000, iterations }))
    expect(cost).toMatchObject({ input: 2 + 2 + 5, modelId: 'claude-sonnet-5-5, claude-opus-4-8' })
  })

  test('does not price a request with an unpriced advisor', () => {
    const iterations = [{ type: 'advisor_message', model: 'other-model-1', input_tokens: 1 }]
    expect(costOf('claude-sonnet-5-5', use({ iterations }))).toBeNull()
  })

  test('prices the fallback model that answered, and a declining model only for its output', () => {
    const million = { input_tokens: 1_000_000, output_tokens: 0 }
    const answer = { type: 'fallback_message', model: 'claude-opus-4-8', ...million }
    const declined = { type: 'message', model: 'claude-fable-5', ...million }
    const usage = (first: object) => use({ ...million, iterations: [first, answer] as never })
    expect(costOf('claude-fable-5', usage(declined))).toMatchObject({
      total: 5,
      modelId: 'claude-opus-4-8',
    })
    const wrote = { ...declined, output_tokens: 1000 }
    expect(costOf('claude-fable-5', usage(wrote))?.total).toBeCloseTo(5 + 10 + 0.05, 9)
    expect(costOf('claude-fable-5', usage({ ...declined, model: answer.model }))?.total).toBe(5)
  })
})

describe('[COST-7] terms of a request', () => {
  const usage = use({ input_tokens: 1_000_000, output_tokens: 100_000 })

  test.each<[string, Partial<Usage>, number | null]>([
    ['claude-opus-5-5', {}, 6],
    ['claude-opus-5-5', { service_tier: 'standard', speed: 'standard' }, 6],
    ['claude-opus-5-5', { service_tier: null, speed: null, inference_geo: 'global' }, 6],
    ['claude-opus-5-5', { service_tier: 'batch' }, 3],
    ['claude-opus-5-5', { speed: 'fast' }, 12],
    ['claude-opus-5-5', { inference_geo: 'us' }, 6.6],
    ['claude-opus-5-5', { inference_geo: 'us', speed: 'fast' }, 13.2],
    ['claude-opus-5-5', { service_tier: 'priority' }, null],
    ['claude-opus-5-5', { service_tier: 'constructor' }, null],
    ['claude-opus-4-6', { speed: 'fast' }, null],
    ['claude-opus-4-5', { inference_geo: 'not_available' }, 7.5],
    ['gpt-6-sol', { server_tool_use: { web_search_requests: 1 } }, null],
    [
      'claude-opus-5-5',
      { server_tool_use: { web_search_requests: 3, web_fetch_requests: 9 } },
      6.03,
    ],
    [
      'claude-opus-5-5',
      { service_tier: 'batch', server_tool_use: { web_search_requests: 3 } },
      3.03,
    ],
  ])('%s with %j', (model, terms, total) => {
    const cost = costOf(model, { ...usage, ...terms })
    if (total === null) expect(cost).toBeNull()
    else expect(cost?.total).toBeCloseTo(total, 9)
  })
})

test('replaces rows of the table by custom prices; prices missing in them are unknown', () => {
  const own = { 'mill-1': { input: 1, output: 2 } }
  const usage = use({ input_tokens: 1_000_000, output_tokens: 1_000_000 })
  expect(costOf('mill-1', usage, { prices: own })?.total).toBe(3)
  expect(costOf('claude-opus-5-5', usage, { prices: own })?.total).toBe(24)
  expect(costOf('mill-1', { ...usage, cache_read_input_tokens: 1 }, { prices: own })).toBeNull()
})
