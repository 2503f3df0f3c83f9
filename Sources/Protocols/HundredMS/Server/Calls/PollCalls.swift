internal import MediaKernel
internal import RoomHost
internal import Rooms

/// A joined peer's requests about polls and quizzes.
struct PollCalls {
    let peer: PeerID
    let client: ClientKind

    func setPoll(
        _ params: PollInfoSetParameters, in host: isolated RoomHost
    ) throws(SignallingError) -> Reply {
        let named = params.pollID.flatMap { $0.rawValue.isEmpty ? nil : $0 }
        let id = try ruled { () throws(RoomError) in
            try host.room.pollSet(
                named, params.settings, by: peer, at: host.clock.now(), wall: host.clock.wall())
        }
        return .result(PollSetResult(pollID: id))
    }

    func getPoll(_ params: PollParameters, in host: isolated RoomHost)
        throws(SignallingError) -> Reply
    {
        let info = try ruled { () throws(RoomError) in
            try host.room.polls(for: peer).info(of: params.pollID)
        }
        return .result(PollInfoPayload(info))
    }

    func setPollQuestions(
        _ params: PollQuestionsSetParameters, in host: isolated RoomHost
    ) throws(SignallingError) -> Reply {
        try ruled { () throws(RoomError) in try host.room.peers.require(.pollWrite, of: peer) }
        let questions = try params.ordered()
        let count = try ruled { () throws(RoomError) in
            try host.room.pollQuestionsSet(
                questions, of: params.pollID, by: peer, at: host.clock.now())
        }
        return .result(PollQuestionsSetResult(pollID: params.pollID, totalQuestions: count))
    }

    func getPollQuestions(
        _ params: PollQuestionsGetParameters, in host: isolated RoomHost
    ) throws(SignallingError) -> Reply {
        let questions = try ruled { () throws(RoomError) in
            try host.room.polls(for: peer).questions(of: params.pollID)
        }
        let page = Page(
            from: params.index, count: params.count, maximum: RoomLimits.pollPage,
            of: questions.count)
        return .result(
            PollQuestionsGetResult(
                pollID: params.pollID,
                questions: page.range.map { PollQuestionPayload(questions[$0], index: $0 + 1) },
                last: page.isLast))
    }

    func startPoll(_ params: PollParameters, in host: isolated RoomHost)
        throws(SignallingError) -> Reply
    {
        let info = try ruled { () throws(RoomError) in
            try host.room.pollStarted(
                params.pollID, by: peer, at: host.clock.now(), wall: host.clock.wall())
        }
        return .result(PollRunResult(pollID: info.id, duration: info.settings.duration))
    }

    func stopPoll(_ params: PollParameters, in host: isolated RoomHost)
        throws(SignallingError) -> Reply
    {
        let info = try ruled { () throws(RoomError) in
            try host.room.pollStopped(
                params.pollID, by: peer, at: host.clock.now(), wall: host.clock.wall())
        }
        return .result(PollRunResult(pollID: info.id, duration: info.settings.duration))
    }

    func answerPoll(
        _ params: PollResponseParameters, in host: isolated RoomHost
    ) throws(SignallingError) -> Reply {
        let verdicts = try ruled { () throws(RoomError) in
            try host.room.pollAnswered(
                params.pollID, params.responses.map(\.submission), by: peer,
                at: host.clock.now())
        }
        return .result(
            PollResponseResult(
                pollID: params.pollID,
                result: verdicts.map { verdict in
                    let error = verdict.refusal.map {
                        SignallingError.room($0).payload(for: client)
                    }
                    return PollResponseResult.Verdict(
                        question: verdict.question, correct: verdict.isRight,
                        error: error.map { error in
                            PollResponseResult.Verdict.Refusal(
                                code: error.code, message: error.message, description: "")
                        })
                }))
    }

    func getPollResponses(
        _ params: PollResponsesGetParameters, in host: isolated RoomHost
    ) throws(SignallingError) -> Reply {
        let (responses, isLast) = try ruled { () throws(RoomError) in
            guard params.own ?? false else {
                return try host.room.pollResponses(
                    of: params.pollID, from: params.index, count: params.count, by: peer,
                    at: host.clock.now())
            }
            let own = try host.room.polls(for: peer).ownResponses(of: params.pollID)
            let page = Page(
                from: params.index, count: params.count, maximum: RoomLimits.pollPage,
                of: own.count)
            return (Array(own[page.range]), page.isLast)
        }
        return .result(
            PollResponsesResult(
                pollID: params.pollID, responses: responses.map { PollResponsesResult.Item($0) },
                last: isLast))
    }

    func listPolls(_ params: PollListParameters, in host: isolated RoomHost)
        throws(SignallingError) -> Reply
    {
        let polls = try ruled { () throws(RoomError) in
            try host.room.polls(for: peer).infos(params.state, after: params.start)
        }
        let page = Page(
            from: 0, count: params.count, maximum: RoomLimits.pollPage, of: polls.count)
        return .result(
            PollListResult(
                polls: polls[page.range].map { PollInfoPayload($0) },
                last: page.isLast ? "" : polls[page.range].last?.id.rawValue ?? ""))
    }

    func getPollResult(
        _ params: PollParameters, in host: isolated RoomHost
    ) throws(SignallingError) -> Reply {
        let result = try ruled { () throws(RoomError) in
            try host.room.polls(for: peer).result(of: params.pollID)
        }
        return .result(PollResultPayload(params.pollID, result))
    }

    func getPollLeaderboard(
        _ params: PollLeaderboardParameters, cachedIn pages: inout PollPages,
        in host: isolated RoomHost
    ) throws(SignallingError) -> Reply {
        let (board, info) = try ruled { () throws(RoomError) in
            let board = try host.room.pollLeaderboard(
                of: params.pollID, question: params.question, by: peer, at: host.clock.now())
            return (board, try host.room.polls(for: peer).info(of: params.pollID))
        }
        let page = Page(
            from: params.offset, count: params.count ?? PollLeaderboardResult.countDefault,
            maximum: RoomLimits.pollLeaderboardPage, of: board.entries.count)
        let key = PollPages.Key(
            poll: info.id, createdAt: info.createdAt, question: params.question, range: page.range)
        if let text = pages[key] { return .rendered(text) }
        let text = try FrameCodec.text(of: PollLeaderboardResult(info.id, board, page))
        pages.keep(text, for: key)
        return .rendered(text)
    }
}
