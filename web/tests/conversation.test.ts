import { describe, expect, it } from 'vitest'
import { applyEvent, fold, prepend } from '@/core/conversation'
import type { Event } from '@/generated/contract'

const said: Event = { type: 'user_message', seq: 1, ts: 10, text: 'hello', client_id: 'c1' }
const call: Event = { type: 'tool_use', seq: 3, ts: 12, id: 'x', name: 'bash', input: { command: 'ls' } }
const ended: Event = { type: 'tool_end', seq: 4, ts: 13, id: 'x', name: 'bash', duration_ms: 20, output_preview: 'a', output: 'a\nb' }

function shapes(events: readonly Event[]): unknown[] {
  return fold(events).items.map((item) => {
    switch (item.kind) {
      case 'user':
        return ['user', item.text]
      case 'answer':
        return ['answer', item.text, item.streaming]
      case 'thinking':
        return ['thinking', item.text, item.streaming]
      case 'tool':
        return ['tool', item.name, item.state, item.output]
      default:
        return [item.kind]
    }
  })
}

const turn: Event[] = [
  said,
  { type: 'thinking_start', seq: 2, ts: 10 },
  { type: 'thinking_delta', seq: 2, ts: 11, text: 'hm' },
  { type: 'thinking_end', seq: 2, ts: 11.5 },
  { type: 'assistant_start', seq: 2, ts: 11.5 },
  { type: 'assistant_delta', seq: 2, ts: 11.6, text: 'I ' },
  { type: 'assistant_delta', seq: 2, ts: 11.7, text: 'look' },
  {
    type: 'assistant_end',
    seq: 2,
    ts: 12,
    text: 'I look.',
    content: [
      { type: 'thinking', text: 'hm' },
      { type: 'text', text: 'I look.' },
      { type: 'tool_use', id: 'x', name: 'bash', input: { command: 'ls' } },
    ],
  },
  call,
  { type: 'tool_start', ts: 12.5, id: 'x', name: 'bash' },
  ended,
  { type: 'round_end', seq: 5, ts: 14, reason: 'done', steps: 1 },
]
const shown = [['user', 'hello'], ['thinking', 'hm', false], ['answer', 'I look.', false], ['tool', 'bash', 'done', 'a\nb'], ['round']]

describe('a conversation', () => {
  it('is the same live and from the journal', () => {
    const journal = turn.filter((event) => !/_start$|_delta$|thinking_end/.test(event.type))
    expect(shapes(turn)).toEqual(shown)
    expect(shapes(journal)).toEqual(shown)
  })

  it('is the same wherever a replay begins again', () => {
    for (let cut = 1; cut <= turn.length; cut++) {
      expect(shapes([...turn.slice(0, cut), ...turn])).toEqual(shown)
    }
  })

  it('reports numbers that are missing', () => {
    const talk = fold([said])
    expect([applyEvent(talk, said), applyEvent(talk, call), talk.lastSeq]).toEqual(['known', 'gap', 1])
  })

  it('streams, then holds what the end says', () => {
    expect(shapes(turn.slice(0, 7))).toEqual([['user', 'hello'], ['thinking', 'hm', false], ['answer', 'I look', true]])
  })

  it('drops what a retry voids', () => {
    const retry: Event = { type: 'llm_retry', ts: 12, attempt: 1, limit: 3, wait_s: 1, kind: 'server', message: 'x', superseded: true }
    expect(shapes([...turn.slice(0, 7), retry])).toEqual([['user', 'hello'], ['remark']])
  })

  it('stops what still runs when a turn ends', () => {
    const talk = fold([said, { ...call, seq: 2 } as Event, { type: 'round_end', seq: 3, ts: 20, reason: 'interrupted' }])
    expect(talk.items.map((item) => (item.kind === 'tool' ? item.state : item.kind))).toEqual(['user', 'stopped', 'round'])
    expect(talk.busy).toBe(false)
  })

  it('joins a call with its end from another page', () => {
    const talk = fold([ended, { type: 'round_end', seq: 5, ts: 14, reason: 'done' }])
    prepend(talk, [said, { type: 'assistant_end', seq: 2, ts: 12, text: 'I look.' }, call])
    expect(talk.items.map((item) => (item.kind === 'tool' ? [item.input, item.state, item.output] : item.kind))).toEqual([
      'user',
      'answer',
      [{ command: 'ls' }, 'done', 'a\nb'],
      'round',
    ])
  })

  it('forgets what was taken back, also in pages read later', () => {
    const talk = fold([{ type: 'rewound', seq: 6, ts: 20, to: 3 }])
    prepend(talk, turn)
    expect(talk.items.map((item) => item.kind)).toEqual(['user', 'thinking', 'answer'])
    expect(shapes([...turn, { type: 'rewound', seq: 6, ts: 20, to: 3 }])).toEqual(shown.slice(0, 3))
  })

  it('keeps a question until it is answered, and marks its call', () => {
    const ask: Event = { type: 'permission_ask', seq: 4, ts: 100, ask_id: 'q', tool_name: 'bash', tool_input: {}, reason: 'r' }
    const talk = fold([...turn.slice(0, 9), ask])
    expect([talk.asks.map((each) => each.deadline), talk.items.at(-1)]).toMatchObject([[280], { state: 'asking' }])
    applyEvent(talk, { type: 'permission_resolved', seq: 5, ts: 101, ask_id: 'q', decision: 'allow' })
    expect([talk.asks, talk.items.at(-1)]).toMatchObject([[], { state: 'waiting' }])
  })

  it('queues a message until it is said or taken back', () => {
    const talk = fold([{ type: 'message_queued', text: 'a', client_id: '1' }, { type: 'message_queued', text: 'b', client_id: '2' }])
    applyEvent(talk, { type: 'message_queued', text: 'a', client_id: '1' })
    expect(talk.queue.map((each) => each.text)).toEqual(['a', 'b'])
    applyEvent(talk, { type: 'user_message', seq: 1, ts: 1, text: 'a', client_id: '1' })
    applyEvent(talk, { type: 'message_recalled', text: 'b', client_id: '2' })
    expect(talk.queue).toEqual([])
  })
})
