// core.native.words: an inverted index with BM25 scores. words.pyi says what it offers.
//
// Terms are numbers of a vocabulary (vocabulary.h), documents are rows. Each term has a posting list (posting_list.h).
// A search scores a window of rows at a time, term by term, and keeps the best (scoring.h, top_k.h). What a document
// contains is not kept: its texts are given again when it goes, and a snapshot gathers it from the lists (document.h).

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "aside.h"
#include "document.h"
#include "document_batch.h"
#include "posting_list.h"
#include "scoring.h"
#include "text.h"
#include "top_k.h"
#include "vocabulary.h"

namespace py = pybind11;
using namespace native;

using Bytes = py::array_t<std::uint8_t, py::array::c_style | py::array::forcecast>;
using Ends = py::array_t<std::int64_t, py::array::c_style | py::array::forcecast>;
using Rows = std::vector<Row>;

namespace {

void require(bool holds, const char* otherwise) {
    if (!holds) throw std::invalid_argument(otherwise);
}

class Postings {
   public:
    Postings(double k1, double b) : k1_(k1), b_(b), vocabulary_(hash_key()) {}

    std::size_t size() const { return living_; }

    // ---- edits ----

    void put(const DocumentBatch& batch, const Rows& rows) {
        constexpr std::size_t PORTION = 64;  // documents between two chances for other threads
        check_free(rows, batch.ends.size());
        std::vector<std::int32_t> numbers(batch.vocabulary.size(), Vocabulary::NONE);  // the index's by the batch's
        for (std::size_t i = 0; i < rows.size(); ++i) {
            if (i % PORTION == PORTION - 1) py::gil_scoped_release others_may_run;
            Document document = batch.document(i);
            for (TermCount& each : document) {
                std::int32_t& number = numbers[each.term];
                if (number == Vocabulary::NONE) number = vocabulary_.add(batch.vocabulary.string(each.term));
                each.term = number;
            }
            sort(document);
            insert(rows[i], document);
        }
    }

    void drop(Row row, const DocumentBatch& batch) {
        require(batch.ends.size() == 1, "a batch of the document alone");
        Document document = batch.document(0);
        for (TermCount& each : document) {
            each.term = vocabulary_.find(batch.vocabulary.string(each.term));
            require(each.term != Vocabulary::NONE, "a word of no document");
        }
        sort(document);
        erase(row, document);
    }

    void drop(Row row, const py::bytes& encoded) {
        Document document;
        decode(std::string_view(encoded), vocabulary_.size(), document);
        erase(row, document);
    }

    void restore(std::string_view terms, const Bytes& encoded, const Ends& ends) {
        require(vocabulary_.size() == 0 && lengths_.empty(), "into an index that is not empty");
        py::gil_scoped_release others_may_run;
        Postings fresh(*this);
        const std::string_view all{reinterpret_cast<const char*>(encoded.data()), static_cast<std::size_t>(encoded.size())};
        aside([&] { fresh.read(terms, all, ends); });
        *this = std::move(fresh);
    }

    // ---- snapshots ----

    py::bytes terms() const {
        std::string lines;
        for (std::size_t number = 0; number < vocabulary_.size(); ++number) {
            lines += vocabulary_.string(static_cast<std::int32_t>(number));
            lines += '\n';
        }
        return lines;
    }

    // Goes through all lists twice: for the sizes of the documents, and to write them.
    std::tuple<Bytes, Ends> documents() const {
        std::vector<std::int64_t> offsets(lengths_.size() + 1, 0);
        each_count([&](Row row, std::uint32_t distance, std::uint8_t code, float frequency) {
            std::uint8_t scratch[MOST_BYTES];
            offsets[static_cast<std::size_t>(row) + 1] += encode(scratch, distance, code, frequency) - scratch;
        });
        std::partial_sum(offsets.begin(), offsets.end(), offsets.begin());
        Bytes encoded(offsets.back());
        Ends ends(static_cast<py::ssize_t>(living_));
        std::int64_t* end = ends.mutable_data();
        for (std::size_t row = 0; row < lengths_.size(); ++row)
            if (lengths_[row] != FREE) *end++ = offsets[row + 1];
        std::uint8_t* const start = encoded.mutable_data();
        each_count([&](Row row, std::uint32_t distance, std::uint8_t code, float frequency) {
            std::int64_t& offset = offsets[static_cast<std::size_t>(row)];
            offset = encode(start + offset, distance, code, frequency) - start;
        });
        return {std::move(encoded), std::move(ends)};
    }

    // ---- reads ----

    std::tuple<Rows, std::vector<double>, std::vector<double>> search(
        const py::list& words, const std::vector<double>& weights, std::size_t k, const Rows& others) const {
        Rows rows;
        std::vector<double> scores, of_others(others.size(), 0.0);
        for (const TopK::Hit& hit : best(query(words, weights), k, others, of_others)) {
            rows.push_back(hit.row);
            scores.push_back(hit.score);
        }
        return {std::move(rows), std::move(scores), std::move(of_others)};
    }

    py::array_t<double> scores(const py::list& words, const std::vector<double>& weights, const Rows& rows) const {
        py::array_t<double> found(static_cast<py::ssize_t>(rows.size()));
        double* const sums = found.mutable_data();
        std::fill(sums, sums + rows.size(), 0.0);
        const std::vector<std::size_t> order = ascending(rows);
        const Bm25 bm25 = this->bm25();
        for (const Cursor& term : query(words, weights)) {
            const PostingList& list = lists_[term.number];
            const Posting* at = list.begin();
            for (const std::size_t i : order) {
                if (rows[i] < 0 || rows[i] >= MAX_ROWS) continue;
                at = list.seek(rows[i], at);
                if (at == list.end()) break;
                if (row_of(*at) == rows[i])
                    sums[i] += bm25.score(frequency(term.number, *at), term.weight, lengths_[rows[i]]);
            }
        }
        return found;
    }

   private:
    static constexpr float FREE = -1.0f;
    static constexpr Row WINDOW = 2048;  // rows scored in one go: their sums fit into the L1 cache

    // A term of a query, and how far its list was read.
    struct Cursor {
        std::int32_t number;
        double weight;  // as in Bm25
        const Posting *at, *end;
    };

    bool is_taken(Row row) const { return static_cast<std::size_t>(row) < lengths_.size() && lengths_[row] != FREE; }

    void check_free(const Rows& rows, std::size_t wanted) {
        require(rows.size() == wanted, "a row for each document");
        Rows sorted(rows);
        std::sort(sorted.begin(), sorted.end());
        require(std::adjacent_find(sorted.begin(), sorted.end()) == sorted.end(), "a row twice");
        if (rows.empty()) return;
        require(sorted.front() >= 0 && sorted.back() < MAX_ROWS, "a row that cannot be");
        require(std::none_of(rows.begin(), rows.end(), [this](Row row) { return is_taken(row); }), "a row that is taken");
        const auto size = static_cast<std::size_t>(sorted.back()) + 1;
        if (size > lengths_.size()) lengths_.resize(size, FREE);
    }

    void insert(Row row, const Document& document) {
        if (lists_.size() < vocabulary_.size()) lists_.resize(vocabulary_.size());
        for (const TermCount& each : document) {
            const std::uint8_t code = code_of(each.frequency);
            lists_[each.term].insert(posting_of(row, code));
            if (code == UNCODED) uncoded_[uncoded_key(each.term, row)] = each.frequency;
        }
        lengths_[row] = length_of(document);
        total_length_ += static_cast<double>(lengths_[row]);
        ++living_;
    }

    // Checks all before anything changes. A term too few shows in the length.
    void erase(Row row, const Document& document) {
        require(row >= 0 && is_taken(row), "a row without a document");
        for (const TermCount& each : document) require(holds(row, each), "not what the document contains");
        require(length_of(document) == lengths_[row], "not all that the document contains");
        for (const TermCount& each : document) {
            const std::uint8_t code = code_of(each.frequency);
            lists_[each.term].erase(posting_of(row, code));
            if (code == UNCODED) uncoded_.erase(uncoded_key(each.term, row));
            if (lists_[each.term].size() == 0) vocabulary_.drop(each.term);
        }
        total_length_ -= static_cast<double>(lengths_[row]);
        lengths_[row] = FREE;
        --living_;
    }

    bool holds(Row row, const TermCount& each) const {
        const PostingList& list = lists_[each.term];
        const Posting* const at = list.seek(row, list.begin());
        return at != list.end() && row_of(*at) == row && frequency(each.term, *at) == each.frequency;
    }

    static std::uint64_t uncoded_key(std::int32_t term, Row row) {
        return static_cast<std::uint64_t>(term) << 32 | static_cast<std::uint32_t>(row);
    }
    float frequency(std::int32_t term, Posting posting) const {
        const std::uint8_t code = code_in(posting);
        return code == UNCODED ? uncoded_.at(uncoded_key(term, row_of(posting))) : decoded(code);
    }

    // Calls act(row, distance from the document's term before, code, frequency) by term, then row. Other threads run.
    template <typename Act>
    void each_count(Act act) const {
        py::gil_scoped_release others_may_run;
        std::vector<std::int32_t> before(lengths_.size(), 0);  // by row
        for (std::size_t number = 0; number < lists_.size(); ++number) {
            const auto term = static_cast<std::int32_t>(number);
            for (const Posting posting : lists_[number]) {
                std::int32_t& last = before[static_cast<std::size_t>(row_of(posting))];
                act(row_of(posting), static_cast<std::uint32_t>(term - last), code_in(posting),
                    frequency(term, posting));
                last = term;
            }
        }
    }

    void read(std::string_view terms, std::string_view encoded, const Ends& ends) {
        require(ends.size() <= MAX_ROWS, "more documents than there can be");
        while (!terms.empty()) {
            const std::string_view term = terms.substr(0, terms.find('\n'));
            require(term.size() < terms.size() && vocabulary_.find(term) == Vocabulary::NONE, "not words by line");
            vocabulary_.append(term);
            terms.remove_prefix(term.size() + 1);
        }
        std::vector<std::size_t> sizes(vocabulary_.size());
        each_document(encoded, ends, [&](Row, const Document& document) {
            for (const TermCount& each : document) ++sizes[each.term];
        });
        lists_.resize(sizes.size());
        for (std::size_t number = 0; number < sizes.size(); ++number) {
            require((sizes[number] == 0) == vocabulary_.string(static_cast<std::int32_t>(number)).empty(),
                    "a word of no document");
            lists_[number].reserve(sizes[number]);
        }
        lengths_.resize(static_cast<std::size_t>(ends.size()), FREE);
        each_document(encoded, ends, [&](Row row, const Document& document) { insert(row, document); });
    }

    template <typename Act>
    void each_document(std::string_view encoded, const Ends& ends, Act act) const {
        std::size_t start = 0;
        Document document;
        for (py::ssize_t row = 0; row < ends.size(); ++row) {
            const auto end = static_cast<std::size_t>(ends.data()[row]);
            require(end >= start && end <= encoded.size(), "documents that overlap");
            decode(encoded.substr(start, end - start), vocabulary_.size(), document);
            act(static_cast<Row>(row), document);
            start = end;
        }
        require(start == encoded.size(), "more than the documents");
    }

    static std::vector<std::size_t> ascending(const Rows& rows) {
        std::vector<std::size_t> places(rows.size());
        std::iota(places.begin(), places.end(), std::size_t{0});
        std::sort(places.begin(), places.end(), [&](auto a, auto b) { return rows[a] < rows[b]; });
        return places;
    }

    Bm25 bm25() const {
        const double average = total_length_ > 0.0 ? total_length_ / static_cast<double>(living_) : 1.0;
        return {k1_, 1.0 - b_, b_ / average};
    }

    // The words that some document contains, in their order, which is that of the sums.
    std::vector<Cursor> query(const py::list& words, const std::vector<double>& weights) const {
        require(words.size() == weights.size(), "a weight for each word");
        std::vector<Cursor> query;
        std::string buffer;
        for (std::size_t i = 0; i < weights.size(); ++i) {
            require(weights[i] >= 0.0 && std::isfinite(weights[i]), "a weight below 0");
            const std::int32_t number = vocabulary_.find(Text(words[i]).utf8(buffer));
            if (number == Vocabulary::NONE) continue;
            const PostingList& list = lists_[number];
            const auto all = static_cast<double>(living_), holding = static_cast<double>(list.size());
            const double idf = std::log1p((all - holding + 0.5) / (holding + 0.5));
            query.push_back({number, weights[i] * idf * (k1_ + 1.0), list.begin(), list.end()});
        }
        return query;
    }

    // The k best rows, and the scores of others.
    std::vector<TopK::Hit> best(std::vector<Cursor> query, std::size_t k, const Rows& others, std::vector<double>& of_others) const {
        double sums[WINDOW];
        std::int32_t places[WINDOW];
        const Bm25 bm25 = this->bm25();
        const std::vector<std::size_t> order = ascending(others);
        auto other = order.begin();
        TopK top(k);
        for (Row first = next_row(query); first < MAX_ROWS; first = next_row(query)) {
            const Row last = first + std::min(WINDOW, static_cast<Row>(lengths_.size()) - first);
            std::fill(sums, sums + (last - first), 0.0);
            for (Cursor& term : query) add_scores(term, first, last, bm25, sums);
            for (; other != order.end() && others[*other] < last; ++other)
                if (others[*other] >= first) of_others[*other] = sums[others[*other] - first];
            const std::size_t count =
                places_reaching(sums, static_cast<std::size_t>(last - first), top.threshold(), places);
            for (std::size_t i = 0; i < count; ++i) top.offer(sums[places[i]], first + places[i]);
        }
        return top.take();
    }

    // The first row that any cursor has not passed; MAX_ROWS when there is none.
    static Row next_row(const std::vector<Cursor>& query) {
        Row next = MAX_ROWS;
        for (const Cursor& term : query)
            if (term.at != term.end) next = std::min(next, row_of(*term.at));
        return next;
    }

    // Adds a term's scores to the rows of a window, and moves its cursor past it.
    void add_scores(Cursor& term, Row first, Row last, const Bm25& bm25, double* sums) const {
        constexpr std::ptrdiff_t BLOCK = 256;
        double scores[BLOCK];
        const Posting* const farthest = term.at + std::min<std::ptrdiff_t>(last - first, term.end - term.at);
        const Posting* const stop = std::lower_bound(term.at, farthest, posting_of(last, 0));
        while (term.at != stop) {
            const std::ptrdiff_t n = std::min(BLOCK, stop - term.at);
            if (score_all(term.at, static_cast<std::size_t>(n), lengths_.data(), term.weight, bm25, scores))
                for (std::ptrdiff_t i = 0; i < n; ++i)
                    scores[i] = bm25.score(frequency(term.number, term.at[i]), term.weight, lengths_[row_of(term.at[i])]);
            for (std::ptrdiff_t i = 0; i < n; ++i) sums[row_of(term.at[i]) - first] += scores[i];
            term.at += n;
        }
    }

    double k1_, b_;
    Vocabulary vocabulary_;
    std::vector<PostingList> lists_;                      // by term
    std::unordered_map<std::uint64_t, float> uncoded_;  // frequencies that no code tells
    std::vector<float> lengths_;                          // of documents by row, or FREE
    double total_length_ = 0.0;
    std::size_t living_ = 0;
};

}  // namespace

PYBIND11_MODULE(words, module) {
    module.def("fingerprint", &fingerprint);
    py::class_<DocumentBatch>(module, "DocumentBatch")
        .def(py::init<>())
        .def("__len__", [](const DocumentBatch& batch) { return batch.ends.size(); })
        .def("add", &DocumentBatch::add)
        .def("close", &DocumentBatch::close);
    py::class_<Postings>(module, "Postings")
        .def(py::init<double, double>())
        .def("__len__", &Postings::size)
        .def("put", &Postings::put)
        .def("drop", py::overload_cast<Row, const DocumentBatch&>(&Postings::drop))
        .def("drop", py::overload_cast<Row, const py::bytes&>(&Postings::drop))
        .def("restore", &Postings::restore)
        .def("copy", [](const Postings& postings) { return Postings(postings); })
        .def("terms", &Postings::terms)
        .def("documents", &Postings::documents)
        .def("search", &Postings::search)
        .def("scores", &Postings::scores);
}
