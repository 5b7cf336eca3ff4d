// Bodies that may take long to read. A thread decompresses them and applies the limits (json-bounds.ts). The result is
// parsed here, in steps, because passing objects from a thread costs more than parsing them.
//
//   none      until the first large body comes, and after a thread died
//   running   one thread for all explorers, one body at a time, so that memory is taken for one body only
//   closed    nothing is read any more
//
// When a thread dies, only the answer that it was reading is lost.
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import PQueue from 'p-queue';
import { RequestFault } from './fault.ts';
import { jsonFault, parseInSteps } from './body.ts';
import type { Job, ThreadReply } from './large-bodies-thread.ts';

export interface LargeBody {
  readonly raw: unknown;
  /** The parsed text: an equal text gives an equal answer. */
  readonly body: Buffer;
  /** The number of bytes of an ordinary answer with the same weight. */
  readonly weight: number;
}

export interface LargeBodies extends AsyncDisposable {
  /** Throws `RequestFault`. */
  read(job: Job): Promise<LargeBody>;
}

export function createLargeBodies(): LargeBodies {
  const turns = new PQueue({ concurrency: 1 });
  let thread: Thread | null = null;
  let isClosed = false;

  async function read(job: Job): Promise<LargeBody> {
    if (isClosed)
      throw new RequestFault('too-large', `${job.where}: the answer was not decoded, for the explorers are closed`);
    thread ??= startThread(() => (thread = null));
    const reply = await thread.do(job);
    if (reply.type === 'refused') throw new RequestFault(reply.reason, reply.detail);
    return bodyOf(reply, job.where);
  }

  return {
    read: (job) => turns.add(() => read(job)),
    async [Symbol.asyncDispose]() {
      isClosed = true;
      await thread?.stop();
    },
  };
}

/** The most that a value can weigh in comparison with a byte, measured on objects that share no key. */
const SEPARATOR_WEIGHT = 30;

async function bodyOf(
  { bytes, lists, separators }: Extract<ThreadReply, { type: 'bounded' }>,
  where: string,
): Promise<LargeBody> {
  const body = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  try {
    const raw = await parseInSteps({ bytes: body, lists, separators });
    return { raw, body, weight: Math.max(body.length, SEPARATOR_WEIGHT * separators) };
  } catch (error) {
    throw jsonFault(error, where);
  }
}

interface Thread {
  do(job: Job): Promise<ThreadReply>;
  stop(): Promise<unknown>;
}

/** The file of the thread has the same ending as this one, in the sources and in the build. */
const THREAD_FILE = new URL(`large-bodies-thread${extname(import.meta.url)}`, import.meta.url);

/** The thread has little memory apart from bytes, which this limit does not count. */
const MOST_MEMORY = { maxOldGenerationSizeMb: 64 };

function startThread(onEnd: () => void): Thread {
  const worker = new Worker(THREAD_FILE, { execArgv: [], env: {}, resourceLimits: MOST_MEMORY });
  let reply: (reply: ThreadReply) => void = () => undefined;
  let why = 'its thread ended';
  // Only a body that is being read keeps the process alive.
  worker.unref();
  worker.on('message', (message: ThreadReply) => {
    reply(message);
  });
  // The error is for example a lack of memory. The event `exit` follows.
  worker.on('error', (error: Error) => {
    why = error.message;
  });
  worker.on('exit', () => {
    onEnd();
    reply({ type: 'refused', reason: 'too-large', detail: `the answer could not be decoded: ${why}` });
  });
  return {
    async do(job) {
      worker.ref();
      const replied = new Promise<ThreadReply>((resolve) => (reply = resolve));
      worker.postMessage(job, [job.wire.buffer]);
      return replied.finally(() => {
        worker.unref();
      });
    },
    stop: () => worker.terminate(),
  };
}
